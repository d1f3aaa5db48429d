import { verifyIap } from "./verify.ts";

export const routes = [verifyIap];
