import { sweepStorage } from "./sweep.ts";
import { createUpload } from "./uploads.ts";

export const routes = [createUpload, sweepStorage];
