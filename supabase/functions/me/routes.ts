import { readMe, updateMe } from "./account.ts";

export const routes = [readMe, updateMe];
