import { createUpload } from "./uploads.ts";

export const routes = [createUpload];
