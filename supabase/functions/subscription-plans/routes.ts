import { listPlans } from "./plans.ts";

export const routes = [listPlans];
