// Calls nearby as a client does, and reads the result.
import type { z } from "zod";
import type { TransactionSql } from "postgres";
import type { NearbyParkingLot } from "../../../supabase/functions/_shared/schema/parking_lots.ts";

export type Item = z.output<typeof NearbyParkingLot>;

export interface Question {
  readonly lat: number;
  readonly lng: number;
  readonly radius_m?: number;
  readonly limit?: number;
  readonly filters?: Record<string, unknown>;
  readonly sort?: string;
  readonly vehicle?: Record<string, unknown> | null;
  readonly vehicle_type?: string;
  readonly usable?: string;
}

export interface Found {
  readonly items: Item[];
  readonly is_truncated: boolean;
}

export async function nearby(sql: TransactionSql, question: Question): Promise<Item[]> {
  return (await nearbyFound(sql, question)).items;
}

export async function nearbyFound(sql: TransactionSql, question: Question): Promise<Found> {
  const { lat, lng, radius_m = 500, limit = 50, filters = {}, sort = "distance", vehicle = null } = question;
  const [row] = await sql<{ found: Found }[]>`
    select api.nearby_parking_lots(
      ${lat}, ${lng}, ${radius_m}, ${limit}, ${JSON.stringify(filters)}::text::jsonb, ${sort},
      ${vehicle === null ? null : JSON.stringify(vehicle)}::text::jsonb, ${question.vehicle_type ?? "standard"},
      ${question.usable ?? null}
    ) as found`;
  return row!.found;
}
