/// <reference lib="dom" />
import "./pages/map/first_list.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { keepSavedLots } from "./pages/lot/keep_saved.ts";
import { followVersions } from "./versions.ts";

const root = document.getElementById("app")!;
root.replaceChildren();
root.removeAttribute("aria-busy");
render(<App />, root);
followVersions().catch((error: unknown) =>
  console.warn("The application could not be kept for times without a connection.", error)
);
keepSavedLots();
