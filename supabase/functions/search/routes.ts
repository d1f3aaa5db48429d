import { routesOf } from "../_shared/http/route.ts";
import * as ai from "./ai.ts";
import * as aiKeys from "./ai_keys.ts";

export const routes = routesOf(
  ai,
  aiKeys,
);
