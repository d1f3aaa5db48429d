import { routesOf } from "../_shared/http/route.ts";
import * as document from "./document.ts";
import * as errors from "./errors.ts";

export const routes = routesOf(
  document,
  errors,
);
