import { nearbyParkingLots } from "./nearby.ts";

export const routes = [nearbyParkingLots];
