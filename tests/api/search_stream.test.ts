// An aborted export: its client can distinguish it from a complete one.
import assert from "node:assert/strict";
import { createParkingClient } from "../../client/src/index.ts";
import { MAX_LINES } from "../../supabase/functions/_shared/http/lines.ts";
import { stack } from "../support/stack.ts";
import { signUp } from "../support/people.ts";
import { ask, bearer, query } from "./client.ts";
import { inDatabase } from "./lots.ts";

/** More than all buffers on the way hold, so that the last page is not requested before the first is read. */
const LOTS = 15_000;
const source = `test-${crypto.randomUUID()}`;
const word = crypto.randomUUID().slice(0, 8);

Deno.test.beforeAll(async () => {
  await inDatabase((sql) =>
    sql`
    insert into public.parking_lots (name, lat, lng, status, source)
    select ${word} || ' ' || repeat('p', 150), 0.5 + n * 1e-6, -150, 'active', ${source}
    from generate_series(1, ${LOTS}::integer) as n`
  );
});
Deno.test.afterAll(async () => {
  await inDatabase((sql) => sql`delete from public.parking_lots where source = ${source}`);
});

function exported(token: string): Promise<Response> {
  const args = query({ query: { keywords: [word] } });
  return ask(`/parking-lots${args}`, { headers: { accept: "application/x-ndjson", ...bearer(token) } });
}

Deno.test("search stream: a response ends after ten thousand lots with the cursor, and the client reads all of them", async () => {
  const { token } = await signUp();
  const lines = (await (await exported(token)).text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(lines.length, MAX_LINES + 1);
  const { next_cursor, ...end } = lines.at(-1);
  assert.deepEqual([end, typeof next_cursor], [{ has_more: true }, "string"]);
  const client = createParkingClient({ url: stack().apiUrl, accessToken: token });
  const query = { query: { keywords: [word] } } as never;
  const found = await Array.fromAsync(client.stream("/v1/parking-lots", { params: { query } }));
  const ids = found.map((lot) => "id" in lot ? lot.id : undefined);
  assert.deepEqual(ids.slice(0, MAX_LINES), lines.slice(0, -1).map(({ id }) => id));
  assert.deepEqual([ids.length, new Set(ids).size], [LOTS, LOTS]);
});

Deno.test("search stream: an export is aborted when its user is suspended meanwhile; the client gets an error after whole lines", async () => {
  const { token, id } = await signUp();
  const answer = await exported(token);
  assert.equal(answer.status, 200);
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value, { stream: true });
  await inDatabase((sql) => sql`update public.app_users set status = 'suspended' where id = ${id}`);
  await assert.rejects(async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
    }
  });
  const lines = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  assert.ok(lines.length > 0 && lines.length < LOTS, `${lines.length} lines`);
  assert.ok(lines.every((lot) => lot.name.startsWith(word)), "no line is anything but a lot");
});
