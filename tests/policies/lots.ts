// Policies of lots and the tables that reference them: public while the lot is active, else not readable.
import { allBut, byEveryone, type Domain, type TableRules, toEveryone } from "./rules.ts";

export const ACTIVE = "00000000-0000-4000-8000-0000000000a1";
export const HIDDEN = { draft: "00000000-0000-4000-8000-0000000000d1", closed: "00000000-0000-4000-8000-0000000000c1" };
const TAG = "00000000-0000-4000-8000-0000000000b1";
const ASSETS = {
  shown: "00000000-0000-4000-8000-0000000000e1",
  private: "00000000-0000-4000-8000-0000000000e2",
  pending: "00000000-0000-4000-8000-0000000000e3",
  deleted: "00000000-0000-4000-8000-0000000000e4",
};

/** A table whose rows belong to a lot and are as public as the lot. */
function ofLot(table: string): TableRules {
  return {
    table,
    grants: { select: toEveryone(allBut()) },
    key: "parking_lot_id::text",
    rows: () => ({ ofActiveLot: ACTIVE, ofDraftLot: HIDDEN.draft, ofClosedLot: HIDDEN.closed }),
    reads: byEveryone(["ofActiveLot"]),
  };
}

/** A master that everyone reads whole. */
function master(table: string, key: string, row: string, unread: string[] = []): TableRules {
  return {
    table,
    grants: { select: toEveryone(allBut(...unread)) },
    key,
    rows: () => ({ fixture: row }),
    reads: byEveryone(["fixture"]),
  };
}

export const lots: Domain = {
  async seed(sql) {
    await sql`insert into public.operators (id, name, slug) values ('fixture', 'Fixture', 'fixture')`;
    await sql`insert into public.tags (id, name, slug) values (${TAG}, 'Fixture', 'fixture')`;
    await sql`insert into public.holidays (calendar, holiday_date, name) values ('ZZ', '2026-01-01', 'Fixture')`;
    for (
      const [name, isPublic, status, deletedAt] of [
        ["shown", true, "placed", null],
        ["private", false, "placed", null],
        ["pending", true, "pending", null],
        ["deleted", true, "placed", "2026-01-01"],
      ] as const
    ) {
      await sql`
        insert into public.assets (id, storage_key, is_public, status, deleted_at)
        values (${ASSETS[name]}, ${`fixture/${name}`}, ${isPublic}, ${status}, ${deletedAt})`;
    }
    for (const [status, lot] of Object.entries({ active: ACTIVE, ...HIDDEN })) {
      await sql`
        insert into public.parking_lots (id, name, address, lat, lng, status)
        values (${lot}, ${status}, 'Fixture', 35.68, 139.76, ${status === "closed" ? "active" : status})`;
      await sql`update public.parking_lots set status = ${status} where id = ${lot}`;
      await sql`insert into public.parking_lot_tags (parking_lot_id, tag_id) values (${lot}, ${TAG})`;
      await sql`insert into public.parking_lot_images (parking_lot_id, asset_id) values (${lot}, ${ASSETS.shown})`;
      await sql`insert into public.parking_lot_spots (parking_lot_id, code) values (${lot}, 'A1')`;
      await sql`insert into public.parking_lot_windows (parking_lot_id, window_type, is_24h) values (${lot}, 'business', true)`;
      await sql`
        insert into public.parking_lot_date_overrides (parking_lot_id, override_date) values (${lot}, '2026-12-31')`;
      await sql`insert into public.pricing_groups (parking_lot_id, code, name) values (${lot}, 'standard', 'Standard')`;
      await sql`
        insert into public.pricing_rules (parking_lot_id, category, rule_order, per_minutes, price_minor)
        values (${lot}, 'time_band', 1, 30, 200)`;
    }
  },

  tables: [
    {
      table: "parking_lots",
      grants: { select: toEveryone(allBut()) },
      key: "id::text",
      rows: () => ({ active: ACTIVE, ...HIDDEN }),
      reads: byEveryone(["active"]),
    },
    {
      table: "assets",
      grants: {
        select: toEveryone(
          allBut("entity_type", "entity_id", "attached_at", "published_at", "etag", "created_by", "created_at"),
        ),
      },
      key: "id::text",
      rows: () => ASSETS,
      reads: byEveryone(["shown"]),
    },
    master("operators", "id", "fixture", ["created_at"]),
    master("tags", "slug", "fixture", ["created_at", "updated_at"]),
    master("holidays", "calendar", "ZZ", ["created_at", "updated_at"]),
    ofLot("parking_lot_tags"),
    ofLot("parking_lot_images"),
    ofLot("parking_lot_spots"),
    ofLot("parking_lot_windows"),
    ofLot("parking_lot_date_overrides"),
    ofLot("pricing_groups"),
    ofLot("pricing_rules"),
  ],
};
