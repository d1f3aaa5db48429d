import { parseSearch } from "./parse.ts";

export const routes = [parseSearch];
