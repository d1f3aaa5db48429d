/// <reference lib="dom" />
/** The administrators' console: its navigation by areas, and the screen that the address names. */
import { useEffect, useRef, useState } from "preact/hooks";
import style from "./console.css" with { type: "text" };
import type { PageProps } from "../page.ts";
import { user } from "../service.ts";
import { Loaded, useLoad } from "../ui/load.tsx";
import { addStyle } from "../ui/style.ts";
import { askToSignIn } from "../sign_in.ts";
import { consoleTexts } from "../texts/console.ts";
import { isAdministrator, me, readMe } from "./kit/access.ts";
import { announcement } from "./kit/announcement.ts";
import { Navigation } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { names, SCREENS } from "./screens.ts";
import { readSecondFactorStep, SecondFactor } from "./second_factor.tsx";
import { Sidebar } from "./sidebar.tsx";

addStyle(style);

const text = consoleTexts(({ consolePage }) => consolePage);

export function ConsolePage({ parts }: PageProps) {
  return user.value ? <AdministratorConsole parts={parts} /> : (
    <>
      <h1>{text.value.console}</h1>
      <p class="notice">{text.value.signInFirst}</p>
      <button type="button" class="primary" onClick={askToSignIn}>{text.value.signIn}</button>
    </>
  );
}

function AdministratorConsole({ parts }: PageProps) {
  const load = useLoad(async (signal) => {
    me.value = undefined;
    await readMe(signal);
    return isAdministrator() ? await readSecondFactorStep() : null;
  }, []);
  useReadAgainInForeground();
  return (
    <Loaded load={load}>
      {(step) => {
        if (!isAdministrator() || step === null) {
          return (
            <>
              <h1>{text.value.console}</h1>
              <p class="notice">{text.value.noAdministrator}</p>
            </>
          );
        }
        return step.kind === "none"
          ? <ConsoleScreens parts={parts} />
          : <SecondFactor step={step} onDone={load.reload} />;
      }}
    </Loaded>
  );
}

function useReadAgainInForeground() {
  useEffect(() => {
    const onChange = () => document.visibilityState === "visible" && void readMe().catch(() => {});
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
}

function ConsoleScreens({ parts }: PageProps) {
  const [path = "overview", ...rest] = parts;
  const screen = SCREENS.find((screen) => screen.path === path);
  // On a phone the screens are behind a button, so that the page begins with its content.
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [path]);
  return (
    <div class="console">
      <nav class="console-nav" aria-label={text.value.screens}>
        <Palette />
        <button
          type="button"
          class="console-screens-button"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          {text.value.screens}
        </button>
        <div class={`console-screens${isMenuOpen ? " is-open" : ""}`}>
          <Navigation current={path} />
          <Sidebar />
        </div>
      </nav>
      <div class="console-screen">
        <ScreenHeading path={path} name={screen ? names.value[screen.path] : text.value.console} />
        <p role="status" class="console-announcement">{announcement.value}</p>
        {screen ? <screen.component key={path} parts={rest} /> : <p class="notice">{text.value.nothing}</p>}
      </div>
    </div>
  );
}

/** Another screen begins at its heading, also for those who do not see it. */
function ScreenHeading({ path, name }: { path: string; name: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    announcement.value = "";
    heading.current?.focus();
  }, [path]);
  return <h1 ref={heading} tabIndex={-1}>{name}</h1>;
}
