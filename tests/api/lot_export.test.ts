// GET /v1/parking-lots/export: the public lots, page by page, in the formats of other systems.
import assert from "node:assert/strict";
import { FORMAT_NAMES, LOT_FORMATS } from "../../supabase/functions/_shared/formats/formats.ts";
import { signUp } from "../support/people.ts";
import { ask, bearer, query } from "./client.ts";
import { aLot, hiddenLots, inDatabase } from "./lots.ts";

const { token } = await signUp();

function exported(values: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> {
  return ask(`/parking-lots/export${query(values)}`, { headers: { ...bearer(token), ...headers } });
}

Deno.test("lot export: each format is a document with its media type, and one lot is one id", async () => {
  const id = await aLot({ name: "Export 1", max_height_m: 2.1 });
  for (const format of FORMAT_NAMES) {
    const response = await exported({ format, ids: id });
    assert.equal(response.status, 200, format);
    assert.equal(response.headers.get("content-type"), LOT_FORMATS[format].mediaType);
    assert.ok(response.headers.get("ratelimit-policy")?.includes("expensive_read"), format);
    const document = await response.json();
    const lots: unknown[] = document[LOT_FORMATS[format].list];
    assert.equal(lots.length, 1, format);
    assert.ok(JSON.stringify(lots[0]).includes(id), format);
    assert.deepEqual([document.next_cursor, document.has_more], [null, false], format);
  }
});

Deno.test("lot export: no lots is a document with an empty list; lots that are not public are not in it", async () => {
  for (const format of FORMAT_NAMES) {
    const document = await (await exported({ format, ids: Object.values(await hiddenLots()).join() })).json();
    assert.deepEqual(document[LOT_FORMATS[format].list], [], format);
  }
});

Deno.test("lot export: the hours are the business hours, not those of entry and exit", async () => {
  const id = await aLot({});
  await inDatabase((sql) =>
    sql`
      insert into public.parking_lot_windows (parking_lot_id, window_type, open_time, close_time) values
        (${id}, 'business', '08:00', '20:00'), (${id}, 'entry', '09:00', '17:30'), (${id}, 'exit', '06:45', '22:15')`
  );
  for (const format of FORMAT_NAMES) {
    const lots = (await (await exported({ format, ids: id })).json())[LOT_FORMATS[format].list];
    const times = JSON.stringify(lots).match(/\b(08:00|20:00|09:00|17:30|06:45|22:15)\b/g);
    assert.deepEqual([...new Set(times)].sort(), ["08:00", "20:00"], format);
  }
});

Deno.test("lot export: of the database it has public lots, the default prices and the tags without a dispute", async () => {
  const hidden = Object.values(await hiddenLots());
  const id = await aLot({});
  const items = await inDatabase(async (sql) => {
    await sql`
      with g as (
        insert into public.pricing_groups (parking_lot_id, code, name, vehicle_types, is_default, free_while_closed)
        values (${id}, 'usual', 'Usual', '{standard}', true, true), (${id}, 'kei', 'Kei', '{kei}', false, false)
        returning id, is_default
      )
      insert into public.pricing_rules (parking_lot_id, pricing_group_id, category, per_minutes, price_minor)
      select ${id}, id, 'time_band', 60, case when is_default then 400 else 150 end from g`;
    await sql`
      insert into public.parking_lot_tags (parking_lot_id, tag_id, state)
      select ${id}, id, case slug when 'covered' then true when 'ev_charging' then false end
      from public.tags where slug in ('covered', 'ev_charging', 'open_24h')`;
    // The owner of the tables reads every row: row-level security hides nothing here.
    const [row] = await sql`select api.export_parking_lots(p_ids => ${[id, ...hidden]}) -> 'items' as items`;
    return row!["items"];
  });
  assert.deepEqual(items.map((lot: { id: string }) => lot.id), [id]);
  const [{ tags, rules, free_while_closed }] = items;
  assert.deepEqual(tags, { covered: true, ev_charging: false });
  assert.deepEqual(rules.map(({ price_minor }: { price_minor: number }) => price_minor), [400]);
  assert.equal(free_while_closed, true);
});

Deno.test("lot export: a price of some units of a band is in no format, and is there as a price of any number", async () => {
  const id = await aLot({});
  for (const [max_units, isWritten] of [[4, false], [null, true]] as const) {
    await inDatabase(async (sql) => {
      await sql`delete from public.pricing_rules where parking_lot_id = ${id}`;
      await sql`
        insert into public.pricing_rules (parking_lot_id, category, per_minutes, price_minor, time_start, time_end, max_units)
        values (${id}, 'time_band', 60, 423, '08:00', '20:00', ${max_units}), (${id}, 'time_band', 60, 424, '20:00', '08:00', null)`;
    });
    for (const format of FORMAT_NAMES) {
      const text = await (await exported({ format, ids: id })).text();
      assert.equal(/\b423\b/.test(text), isWritten, `${format} ${max_units}`);
    }
  }
});

Deno.test("lot export: documents and lines continue with the cursor, and each lot is there once", async () => {
  const ids = [await aLot({}), await aLot({}), await aLot({})].sort();
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? {} : { cursor };
    const page = await (await exported({ format: "parkapi", ids: ids.join(), limit: 2, ...next })).json();
    found.push(...page.items.map(({ uid }: { uid: string }) => uid));
    assert.equal(page.has_more, page.next_cursor !== null);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(found, ids);
  const response = await exported({ format: "parkapi", ids: ids.join(), limit: 2 }, { accept: "application/x-ndjson" });
  assert.equal(response.headers.get("content-type"), "application/x-ndjson");
  const lines = (await response.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.slice(0, 2).map(({ uid }) => uid), ids.slice(0, 2));
  assert.equal(lines[2].has_more, true);
  const other = await exported({ format: "parkapi", limit: 2, cursor: lines[2].next_cursor });
  assert.deepEqual([other.status, (await other.json()).error.param], [422, "cursor"]);
});

Deno.test("lot export: an unknown format, none, and a limit over 1,000 are rejected by name", async () => {
  for (
    const [values, param] of [[{ format: "datex" }, "format"], [{}, "format"], [
      { format: "osm", limit: 1001 },
      "limit",
    ]] as const
  ) {
    const response = await exported(values);
    assert.deepEqual([response.status, (await response.json()).error.param], [422, param]);
  }
});
