// Policies of vehicles, search presets, notification preferences, notifications and devices: each user has their own.
import { allBut, asOwner, bySignedIn, type Domain } from "./rules.ts";

const id = (group: string, n: number) => `00000000-0000-4000-8000-00000000${group}${n}`;
const rowsOf = (group: string) => ({
  owners: id(group, 1),
  strangers: id(group, 2),
  suspendeds: id(group, 3),
});
const VEHICLES = rowsOf("110");
const PRESETS = rowsOf("111");
const TOKENS = rowsOf("122");
const NOTIFICATIONS = {
  ...rowsOf("120"),
  ownersDraft: id("120", 4),
  ownersScheduled: id("120", 5),
  ownersNotForInbox: id("120", 6),
  toEverybody: id("120", 7),
};

const own = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: ["suspendeds"], administrator: [] });
/** Suspended users write nothing, and cannot read tables published to Realtime. */
const ownWhileActive = bySignedIn({ owner: ["owners"], stranger: ["strangers"], suspended: [], administrator: [] });
/** The optional fields of a vehicle, set to null. */
const NOTHING = Object.fromEntries(
  [
    ...["nickname", "plate_number", "color", "height_m", "width_m", "length_m", "weight_t", "clearance_cm"],
    ...["tire_width_mm", "deleted_at"],
  ].map((column) => [column, "null"]),
);
const TYPE = "announcement";
const OTHER_TYPE = "campaign";

export const driver: Domain = {
  async seed(sql, { owner, stranger, suspended }) {
    for (const [name, user_id] of [["owners", owner], ["strangers", stranger], ["suspendeds", suspended]] as const) {
      await sql`
        insert into public.user_vehicles (id, user_id, vehicle_type, plate_number)
        values (${VEHICLES[name]}, ${user_id}, 'standard', '12-34')`;
      await sql`
        insert into public.search_presets (id, user_id, name, query_json)
        values (${PRESETS[name]}, ${user_id}, 'Preset', '{}')`;
      await sql`
        insert into public.notification_preferences (user_id, notif_type, push_enabled, in_app_enabled, email_enabled)
        values (${user_id}, ${TYPE}, true, true, true)`;
      await sql`
        insert into public.notification_quiet_hours (user_id, from_time, to_time, time_zone)
        values (${user_id}, '22:00', '07:00', 'Asia/Tokyo')`;
      await asOwner(sql, () =>
        sql`
        insert into public.user_notifications (id, user_id, type, title, body, status, sent_at)
        values (${NOTIFICATIONS[name]}, ${user_id}, ${TYPE}, 'Title', 'Body', 'sent', now())`);
      await sql`
        insert into public.user_push_tokens (id, user_id, fcm_token, device_type)
        values (${TOKENS[name]}, ${user_id}, ${`token-${name}`}, 'ios')`;
    }
    for (
      const [name, user_id, status, is_in_app, target] of [
        ["ownersDraft", owner, "draft", true, "user"],
        ["ownersScheduled", owner, "scheduled", true, "user"],
        ["ownersNotForInbox", owner, "sent", false, "user"],
        ["toEverybody", null, "sent", true, "all"],
      ] as const
    ) {
      const insert = () =>
        sql`
          insert into public.user_notifications (id, user_id, type, title, body, status, is_in_app, target, sent_at)
          values (${
          NOTIFICATIONS[name]
        }, ${user_id}, ${TYPE}, 'Title', 'Body', ${status}, ${is_in_app}, ${target}, now())`;
      await (status === "sent" ? asOwner(sql, insert) : insert());
    }
  },

  tables: [
    {
      table: "user_vehicles",
      grants: {
        select: { authenticated: allBut() },
        insert: { authenticated: allBut("id", "slot", "created_at", "updated_at", "deleted_at") },
        update: { authenticated: allBut("id", "user_id", "slot", "created_at", "updated_at") },
      },
      key: "id::text",
      rows: () => VEHICLES,
      reads: own,
      updates: {
        vehicle_type: ownWhileActive,
        nickname: ownWhileActive,
        plate_number: ownWhileActive,
        color: ownWhileActive,
        height_m: ownWhileActive,
        width_m: ownWhileActive,
        length_m: ownWhileActive,
        weight_t: ownWhileActive,
        clearance_cm: ownWhileActive,
        tire_width_mm: ownWhileActive,
        is_default: ownWhileActive,
        deleted_at: ownWhileActive,
      },
      writes: { ...NOTHING, vehicle_type: "'kei'", is_default: "false" },
      inserts: {
        "the owner's": { row: ({ owner }) => ({ user_id: owner, vehicle_type: "kei" }), by: ["owner"] },
      },
    },
    {
      table: "search_presets",
      grants: {
        select: { authenticated: allBut() },
        insert: { authenticated: ["user_id", "name", "query_json", "is_default", "sort_order"] },
        update: { authenticated: ["name", "query_json", "is_default", "sort_order", "deleted_at"] },
      },
      key: "id::text",
      rows: () => PRESETS,
      reads: own,
      updates: {
        name: ownWhileActive,
        query_json: ownWhileActive,
        is_default: ownWhileActive,
        sort_order: ownWhileActive,
        deleted_at: ownWhileActive,
      },
      writes: { name: "'Other'", query_json: "'{}'", is_default: "false", sort_order: "7", deleted_at: "null" },
      inserts: {
        "the owner's": { row: ({ owner }) => ({ user_id: owner, name: "Mine", query_json: "{}" }), by: ["owner"] },
      },
    },
    {
      table: "notification_types",
      grants: { select: { authenticated: allBut() } },
      key: "code",
      rows: () => ({ type: TYPE }),
      reads: bySignedIn({ owner: ["type"], stranger: ["type"], suspended: ["type"], administrator: ["type"] }),
    },
    {
      table: "notification_preferences",
      grants: {
        select: { authenticated: allBut() },
        insert: { authenticated: allBut("created_at", "updated_at") },
        update: { authenticated: ["push_enabled", "in_app_enabled", "email_enabled"] },
      },
      key: "user_id || ' ' || notif_type",
      rows: ({ owner, stranger, suspended }) => ({
        owners: `${owner} ${TYPE}`,
        strangers: `${stranger} ${TYPE}`,
        suspendeds: `${suspended} ${TYPE}`,
      }),
      reads: own,
      updates: { push_enabled: ownWhileActive, in_app_enabled: ownWhileActive, email_enabled: ownWhileActive },
      writes: { push_enabled: "false", in_app_enabled: "false", email_enabled: "false" },
      inserts: {
        "the owner's": {
          row: ({ owner }) => ({
            user_id: owner,
            notif_type: OTHER_TYPE,
            push_enabled: "true",
            in_app_enabled: "true",
            email_enabled: "true",
          }),
          by: ["owner"],
        },
      },
    },
    {
      table: "notification_quiet_hours",
      grants: { select: { authenticated: allBut() } },
      key: "user_id::text",
      rows: ({ owner, stranger, suspended }) => ({ owners: owner, strangers: stranger, suspendeds: suspended }),
      reads: own,
    },
    {
      table: "user_notifications",
      grants: { select: { authenticated: allBut() }, update: { authenticated: ["read_at"] } },
      key: "id::text",
      rows: () => NOTIFICATIONS,
      reads: ownWhileActive,
      updates: { read_at: ownWhileActive },
      writes: { read_at: "now()" },
    },
    {
      table: "user_push_tokens",
      grants: { select: { authenticated: allBut() }, delete: ["authenticated"] },
      key: "id::text",
      rows: () => TOKENS,
      reads: own,
      deletes: ownWhileActive,
    },
  ],
};
