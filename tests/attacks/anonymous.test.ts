// An attacker without an account: the publishable key is public, and so is this repository.
import assert from "node:assert/strict";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { inDatabase } from "../api/lots.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { badAuthorizations } from "../support/tokens.ts";
import { allFunctions, argumentsFor, codeOf, rpc, send } from "./attacker.ts";

const functions = await allFunctions();
const victim = await signUp();

/** The address that the edge sets; addresses claimed by a client are ignored. */
const edge = (address: string) => ({ "cf-connecting-ip": address });

Deno.test("anonymous: a function that is not granted to anonymous clients is rejected at the Data API", async () => {
  const closed = functions.filter(({ schema, forAnon }) => schema === "api" && !forAnon);
  assert.ok(closed.length > 20, `${closed.length} functions`);
  for (const each of closed) {
    const { status } = await rpc(null, each.name, argumentsFor(each));
    assert.ok(status === 401 || status === 403, `${each.name}: ${status}`);
  }
});

Deno.test("anonymous: commands and private functions do not exist at the Data API, in any schema", async () => {
  for (const each of functions.filter(({ schema }) => schema !== "api")) {
    for (const schema of ["api", each.schema]) {
      const { status } = await rpc(null, each.name, argumentsFor(each), { schema });
      assert.ok(status === 404 || status === 406, `${each.schema}.${each.name} in ${schema}: ${status}`);
    }
  }
});

Deno.test("anonymous: read_counted does not run a command", async () => {
  const { status } = await rpc(null, "read_counted", { p_function: "withdraw_my_account" });
  assert.equal(status, 404);
});

Deno.test("anonymous: a forged token is 401 at every route and function, never read as no token", async () => {
  const forged = Object.values(badAuthorizations(victim.id, stack().jwtSecret));
  for (const authorization of forged) {
    for (const path of ["/me", "/parking-lots?limit=1", "/parking-lots/nearby?lat=35.68&lng=139.76"]) {
      const { status } = await send(null, "GET", path, undefined, { authorization });
      assert.equal(status, 401, `${path} with ${authorization.slice(0, 40)}`);
    }
  }
});

Deno.test("anonymous: every route that needs a caller is 401 without one", async () => {
  for (const route of groups.flatMap(({ routes }) => routes)) {
    if (route.access === "public" || route.access === "optional") continue;
    const path = route.path.replaceAll(/\{\w+\}/g, victim.id);
    const { status } = await send(null, route.method, path, route.method === "GET" ? undefined : {});
    assert.equal(status, 401, `${route.method} ${route.path}`);
  }
});

Deno.test("anonymous: crash reports are limited by network, for any address that the client claims", async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 14; n++) {
    const claimed = `198.51.100.${n}`;
    const { status } = await send(null, "POST", "/report-crash", { stack: "Error", device: "d", app_version: "1" }, {
      ...edge("203.0.113.61"),
      "x-forwarded-for": claimed,
      "x-real-ip": claimed,
      "true-client-ip": claimed,
      forwarded: `for=${claimed}`,
    });
    statuses.push(status);
  }
  assert.ok(statuses.includes(429), statuses.join());
});

Deno.test("anonymous: the most expensive reads are counted by network, directly and through the service, and never time out", async () => {
  const filters = { entry_at: "2026-09-01T00:00:00+09:00", exit_at: "2026-10-01T00:00:00+09:00", max_price: 9_000 };
  const question = { p_lat: 35.68, p_lng: 139.76, p_radius_m: 50_000, p_limit: 100, p_filters: filters };
  const path = `/parking-lots/nearby?${new URLSearchParams({
    lat: "35.68",
    lng: "139.76",
    radius_m: "50000",
    limit: "100",
    filters: JSON.stringify(filters),
  })}`;
  const here = edge("203.0.113.62");
  const past = await rpc(null, "nearby_parking_lots", question);
  assert.deepEqual([past.status, codeOf(past)], [403, "forbidden"]);
  const counted = await rpc(null, "read_counted", { p_function: "nearby_parking_lots", p_arguments: question }, {
    headers: here,
  });
  assert.ok([200, 422].includes(counted.status), JSON.stringify(counted.body));
  const through = await send(null, "GET", path, undefined, here);
  assert.ok([200, 422].includes(through.status), JSON.stringify(through.body));
  assert.match(through.headers.get("ratelimit") ?? "", /^"expensive_read";r=118;/);
  await inDatabase((sql) =>
    sql`
      update private.rate_limit_windows set taken = 120
      where policy = 'expensive_read' and subject = private.network_hash(${here["cf-connecting-ip"]})`
  );
  for (
    const claimed of [{}, { "x-forwarded-for": "192.0.2.77" }, {
      "x-real-ip": "192.0.2.78",
      forwarded: "for=192.0.2.79",
    }]
  ) {
    const headers = { ...here, ...claimed };
    const beyond = await send(null, "GET", path, undefined, headers);
    assert.deepEqual([beyond.status, codeOf(beyond)], [429, "rate_limited"], JSON.stringify(headers));
    const direct = await rpc(null, "read_counted", { p_function: "nearby_parking_lots", p_arguments: question }, {
      headers,
    });
    assert.equal(direct.status, 429, JSON.stringify(headers));
  }
});

Deno.test("anonymous: a stay of a year is rejected with its field, not computed", async () => {
  const filters = { entry_at: "2026-09-01T00:00:00+09:00", exit_at: "2027-09-01T00:00:00+09:00", max_price: 100_000 };
  const path = `/parking-lots/nearby?lat=35.68&lng=139.76&radius_m=50000&filters=${
    encodeURIComponent(JSON.stringify(filters))
  }`;
  const { status, body } = await send(null, "GET", path, undefined, edge("203.0.113.63"));
  assert.deepEqual([status, Object(body).error?.param], [422, "filters.exit_at"]);
});

Deno.test("anonymous: the public list of reviews names no account that shows no name", async () => {
  const lot = await inDatabase(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into public.parking_lots (name, address, lat, lng, status) values ('A lot', 'Here', 35.6, 139.7, 'active')
      returning id`;
    await sql`insert into public.reviews (user_id, parking_lot_id, rating, status) values (${victim.id}, ${
      row!.id
    }, 5, 'approved')`;
    return row!.id;
  });
  const { body } = await send(null, "GET", `/parking-lots/${lot}/reviews`);
  const text = JSON.stringify(body);
  assert.equal(Object(body).items.length, 1, text);
  assert.ok(!text.includes(victim.id), text);
});
