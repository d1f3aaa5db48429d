import { reportCrash } from "./crash.ts";

export const routes = [reportCrash];
