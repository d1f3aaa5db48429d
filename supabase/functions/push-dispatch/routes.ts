import { dispatchPushes } from "./pushes.ts";

export const routes = [dispatchPushes];
