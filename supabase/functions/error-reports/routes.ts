import { postErrorReport } from "./error_reports.ts";

export const routes = [postErrorReport];
