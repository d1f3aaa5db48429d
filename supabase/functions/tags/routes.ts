import { listTags } from "./tags.ts";

export const routes = [listTags];
