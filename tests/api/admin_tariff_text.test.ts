// POST admin/tariff-text: a sign as rules, what was not understood, and the fees beside those of today. The grammar itself
// is tested in tests/tariff_text.
import assert from "node:assert/strict";
import { readTariffText } from "../../supabase/functions/admin/tariff_text.ts";
import { TariffReading } from "../../supabase/functions/admin/tariff_text.schema.ts";
import { MAX_TEXT } from "../../supabase/functions/_shared/tariff_text/types.ts";
import { assertError } from "../support/api_errors.ts";
import { recordedActs } from "../support/acts.ts";
import { anAdministrator, sending } from "./administrators.ts";
import { replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";

const PATH = "/admin/tariff-text";
const console = await anAdministrator("lots");
const post = (body: unknown) => console.ask(PATH, sending("POST", body));
const read = async (body: unknown) => await replyOf(readTariffText, await post(body), TariffReading);

const SIGN = "8:00-20:00 30分200円 20:00-8:00 60分100円 最大料金 駐車後24時間 1,200円(繰り返し可)";

async function pricedLot(more: Parameters<typeof aLot>[0] = {}): Promise<string> {
  const id = await aLot(more);
  const rules = [{ category: "time_band", per_minutes: 60, price_minor: 300 }];
  const answer = await console.ask(`/admin/parking-lots/${id}/pricing-rules`, sending("PUT", { pricing_rules: rules }));
  assert.equal(answer.status, 200, await answer.text());
  return id;
}

Deno.test("POST admin/tariff-text: a sign becomes rules that can be stored as they are, and a sign in both languages", async () => {
  const reading = await read({ text: SIGN });
  assert.equal(reading.is_accepted, true);
  assert.deepEqual(reading.unread, []);
  assert.equal(reading.stays, null);
  assert.equal(reading.currency, "JPY");
  assert.deepEqual(reading.text, {
    ja: "08:00-20:00 30分 200円\n20:00-08:00 60分 100円\n入庫後24時間最大 1200円(繰り返し)",
    en: "08:00-20:00 ¥200 per 30 min\n20:00-08:00 ¥100 per 60 min\nMax ¥1200 for 24 hours from entry (repeats)",
  });
  const lot = await aLot();
  const put = await console.ask(
    `/admin/parking-lots/${lot}/pricing-rules`,
    sending("PUT", { pricing_rules: reading.rules }),
  );
  assert.equal(put.status, 200);
  const { pricing_rules } = await put.json();
  assert.deepEqual(
    pricing_rules.map(({ category, price_minor, cap_price_minor }: Record<string, unknown>) => [
      category,
      price_minor ?? cap_price_minor,
    ]),
    [["time_band", 200], ["time_band", 100], ["cap", 1200]],
  );
});

Deno.test("POST admin/tariff-text: eight stays have the fee of today and that of the sign, and nothing is stored", async () => {
  const lot = await pricedLot();
  const before = await (await console.ask(`/admin/parking-lots/${lot}`)).json();
  const acts = () => inDatabase((sql) => recordedActs(sql, { target_id: lot }, ["action"]));
  const recorded = await acts();
  const { stays, is_accepted } = await read({ text: SIGN, parking_lot_id: lot });
  assert.equal(is_accepted, true);
  assert.deepEqual(stays!.map(({ name, today, next }) => [name, today.total_amount, next!.total_amount]), [
    ["hour", 300, 400],
    ["three_hours", 900, 1200],
    ["day", 3600, 1200],
    ["night", 3600, 1200],
    ["day_and_night", 7800, 1800],
    ["saturday", 2400, 1200],
    ["sunday_night", 6600, 1200],
    ["holiday", 1800, 1200],
  ]);
  assert.deepEqual(await (await console.ask(`/admin/parking-lots/${lot}`)).json(), before);
  assert.deepEqual(await acts(), recorded);
});

Deno.test("POST admin/tariff-text: the stays are days of their kind by the lot's own clock and calendar", async () => {
  const lot = await pricedLot();
  const { stays } = await read({ text: "30分200円", parking_lot_id: lot });
  const [days] = await inDatabase((sql) =>
    sql`
      select array_agg(extract(isodow from (e.at::timestamptz at time zone 'Asia/Tokyo'))::integer order by e.n) as dow,
        array_agg(to_char(e.at::timestamptz at time zone 'Asia/Tokyo', 'HH24:MI') order by e.n) as clock,
        bool_and(e.at::timestamptz > now()) as is_ahead,
        array_agg(exists (
          select from public.holidays h
          where h.calendar = 'JP' and h.holiday_date = (e.at::timestamptz at time zone 'Asia/Tokyo')::date
        ) order by e.n) as holiday
      from unnest(${stays!.map(({ entry_at }) => entry_at)}::text[]) with ordinality e (at, n)`
  );
  assert.deepEqual(days!["dow"].slice(0, 7), [3, 3, 3, 3, 3, 6, 7]);
  assert.deepEqual(days!["clock"], ["10:00", "10:00", "08:00", "20:00", "10:00", "10:00", "21:00", "10:00"]);
  assert.deepEqual(days!["holiday"], [false, false, false, false, false, false, false, true]);
  assert.equal(days!["is_ahead"], true);
});

Deno.test("POST admin/tariff-text: a text with a condition that is not understood is not accepted, with its place and reason", async () => {
  const text = `${SIGN} ※年末年始は特別料金`;
  const lot = await pricedLot();
  const reading = await read({ text, parking_lot_id: lot });
  assert.equal(reading.is_accepted, false);
  assert.equal(reading.text, null);
  assert.deepEqual(reading.unread.map(({ from, to, reason }) => [text.slice(from, to), reason]), [
    ["年末年始", "special_days"],
    ["特別料金", "special_days"],
  ]);
  assert.ok(reading.stays!.every(({ next }) => next === null));
  assert.ok(reading.stays!.every(({ today }) => today.total_amount !== null));
});

Deno.test("POST admin/tariff-text: a lot without rules has the reason in place of its fee", async () => {
  const { stays } = await read({ text: "30分200円", parking_lot_id: await aLot() });
  assert.deepEqual(stays![0]!.today, { total_amount: null, reason: "no_rules" });
  assert.deepEqual(stays![0]!.next, { total_amount: 400, reason: null });
});

Deno.test("POST admin/tariff-text: amounts are in the currency of the lot, and of no other", async () => {
  const lot = await pricedLot({ currency: "EUR" });
  const reading = await read({ text: "1,50 € je Stunde", parking_lot_id: lot });
  assert.deepEqual([reading.currency, reading.rules[0]!.price_minor], ["EUR", 150]);
  const other = await read({ text: "30分200円", parking_lot_id: lot });
  assert.deepEqual([other.is_accepted, other.unread[0]!.reason], [false, "other_currency"]);
  assert.equal((await read({ text: "30分200円" })).currency, "JPY");
});

Deno.test("POST admin/tariff-text: invalid input is rejected with its field", async () => {
  const cases = [
    [{}, "text"],
    [{ text: "" }, "text"],
    [{ text: "あ".repeat(MAX_TEXT + 1) }, "text"],
    [{ text: "🚗".repeat(MAX_TEXT) }, null],
    [{ text: SIGN, currency: "yen" }, "currency"],
    [{ text: SIGN, parking_lot_id: "1" }, "parking_lot_id"],
    [{ text: SIGN, rules: [] }, "rules"],
  ] as const;
  for (const [body, param] of cases) {
    const answer = await post(body);
    if (param === null) assert.equal(answer.status, 200, await answer.text());
    else await assertError(answer, { code: "validation_error", param });
  }
  await assertError(await post({ text: SIGN, parking_lot_id: crypto.randomUUID() }), { code: "lot_not_found" });
});

Deno.test("POST admin/tariff-text: an administrator without the area lots is rejected, with a lot or without", async () => {
  const other = await anAdministrator("reviews");
  for (const body of [{ text: SIGN }, { text: SIGN, parking_lot_id: await aLot() }]) {
    await assertError(await other.ask(PATH, sending("POST", body)), { code: "forbidden" });
  }
});

Deno.test("POST admin/parking-lots/import: fee_text becomes the rules of a lot, and stays away if it is not understood", async () => {
  const source = crypto.randomUUID();
  const lot = (external_id: string, more: Record<string, unknown>) => ({
    external_id,
    name: "Sign",
    lat: -41.5,
    lng: 21.5,
    ...more,
  });
  const answer = await console.ask(
    "/admin/parking-lots/import",
    sending("POST", {
      source,
      lots: [
        lot("good", { fee_text: SIGN, currency: "JPY" }),
        lot("odd", { fee_text: "30分200円 特定日を除く", currency: "JPY" }),
        lot("without", { fee_text: SIGN }),
      ],
    }),
  );
  const { rows } = await answer.json();
  assert.deepEqual(rows.map(({ outcome }: { outcome: string }) => outcome), ["created", "created", "created"]);
  assert.deepEqual(rows[0].warnings, []);
  assert.match(rows[1].warnings[0].message, /special_days "特定日"/);
  assert.equal(rows[2].warnings[0].message, "The text of the fees needs the currency of the lot.");
  const rules = await inDatabase((sql) =>
    sql`
      select l.external_id, r.category, r.rule_order, r.price_minor, r.cap_price_minor
      from public.parking_lots l left join public.pricing_rules r on r.parking_lot_id = l.id
      where l.source = ${source} order by l.external_id, r.rule_order`
  );
  assert.deepEqual(
    rules.map((row) => [row["external_id"], row["category"], row["price_minor"] ?? row["cap_price_minor"]]),
    [
      ["good", "time_band", 200],
      ["good", "time_band", 100],
      ["good", "cap", 1200],
      ["odd", null, null],
      ["without", null, null],
    ],
  );
});
