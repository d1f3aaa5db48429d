import { listCodes } from "./codes.ts";

export const routes = [listCodes];
