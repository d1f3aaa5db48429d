import { routesOf } from "../_shared/http/route.ts";
import * as sweep from "./sweep.ts";
import * as uploads from "./uploads.ts";

export const routes = routesOf(
  sweep,
  uploads,
);
