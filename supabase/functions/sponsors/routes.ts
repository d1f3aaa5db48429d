import { checkIn, listSponsors, nearbySponsors } from "./sponsors.ts";

export const routes = [listSponsors, nearbySponsors, checkIn];
