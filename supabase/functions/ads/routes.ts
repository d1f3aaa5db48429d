import { listAds } from "./ads.ts";

export const routes = [listAds];
