import { readContract } from "./document.ts";
import { listErrors, readError } from "./errors.ts";

export const routes = [readContract, listErrors, readError];
