import { routesOf } from "../_shared/http/route.ts";
import * as consumers from "./consumers.ts";
import * as received from "./received.ts";

export const routes = routesOf(
  consumers,
  received,
);
