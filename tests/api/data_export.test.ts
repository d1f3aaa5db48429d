// The export of a user with more rows than the service has in memory at once: read while it is sent.
import assert from "node:assert/strict";
import { MyData } from "../../supabase/functions/_shared/schema/me.ts";
import { type Person, signUp } from "../support/people.ts";
import { ask, bearer } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { undisturbed } from "./undisturbed.ts";

/** More than all buffers on the way hold, so that the last page is not read before the first is sent. */
const REVIEWS = 50_000;

async function busyPerson(): Promise<Person> {
  const user = await signUp();
  await inDatabase((sql) =>
    sql`
    insert into private.kept_reviews (review_id, user_id, parking_lot_id, rating, created_at)
    select gen_random_uuid(), ${user.id}, gen_random_uuid(), 4, now() - n * interval '1 minute'
    from generate_series(1, ${REVIEWS}::integer) as n`
  );
  return user;
}

const exported = ({ token }: Person, accept = "application/json") =>
  ask("/me/export", { headers: { accept, ...bearer(token) } });
const heavy = await busyPerson();

Deno.test("GET /me/export: the document and its lines have every row once, and what the database has", async () => {
  // Between the two, a badge of another test may be given to this user too.
  await undisturbed("app_users", async () => {
    const response = await exported(heavy);
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    const document = MyData.parse(await response.json());
    const lines = (await (await exported(heavy, "application/x-ndjson")).text()).trimEnd().split("\n")
      .map((line) => JSON.parse(line));
    const [head, ...rows] = lines;
    assert.deepEqual(head.account, document.account);
    const byTable: Record<string, unknown[]> = Object.fromEntries(
      Object.keys(document.data).map((table) => [table, []]),
    );
    for (const { table, row } of rows) byTable[table]!.push(row);
    assert.deepEqual(byTable, document.data);
    const [stored] = await inDatabase((sql) =>
      sql`
      select json_agg(review_id order by created_at, review_id) as ids
      from private.kept_reviews where user_id = ${heavy.id}`
    );
    assert.deepEqual(document.data["kept_reviews"]!.map(({ review_id }) => review_id), stored!["ids"]);
  });
});

for (const accept of ["application/json", "application/x-ndjson"]) {
  Deno.test(`GET /me/export, ${accept}: the first rows are sent before the last are read, and a user suspended meanwhile gets an incomplete document`, async () => {
    const user = await busyPerson();
    const response = await exported(user, accept);
    assert.equal(response.status, 200);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader.read()).value, { stream: true });
    await inDatabase((sql) => sql`update public.app_users set status = 'suspended' where id = ${user.id}`);
    await assert.rejects(async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += decoder.decode(value, { stream: true });
      }
    });
    const rows = text.split('"review_id"').length - 1;
    assert.ok(rows < REVIEWS, `${rows} rows`);
    assert.throws(() => JSON.parse(text));
  });
}
