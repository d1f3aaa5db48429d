import { live, ready } from "./health.ts";

export const routes = [live, ready];
