// The feed of the realtime server: what the log says, to those who may see it, and nothing else to anybody.
import assert from "node:assert/strict";
import type { Change } from "../../local/realtime/types.ts";
import { person, startFeed } from "../support/realtime_feed.ts";

const fixture = await startFeed();
const { db: { sql }, subscribe } = fixture;
Deno.test.afterAll(() => fixture.close());

await sql.unsafe(`
  create table public.notes (
    id integer primary key, owner uuid not null, body text, secret text, big text, rank integer
  );
  alter table public.notes enable row level security;
  alter table public.notes alter column big set storage external;
  revoke all on public.notes from anon, authenticated;
  grant select (id, owner, body, big, rank) on public.notes to authenticated;
  create policy "Owners see their notes" on public.notes for select to authenticated using ((select auth.uid()) = owner);
  alter publication supabase_realtime add table public.notes;
`);

let last = 0;
const next = () => ++last;

async function note(owner: string, values: Record<string, unknown> = {}): Promise<number> {
  const row = { id: next(), owner, ...values };
  await sql`insert into public.notes ${sql(row)}`;
  return row.id;
}

Deno.test("an insert comes with the row as the caller may see it", async () => {
  const me = crypto.randomUUID();
  const ear = await subscribe({ event: "*", schema: "public", table: "notes" }, person(me));
  const id = await note(me, { body: "お知らせ", secret: "hidden", rank: 5 });
  const [change] = await ear.hears(1);
  const { commit_timestamp, ...rest } = change as Change;
  assert.ok(Math.abs(Date.parse(commit_timestamp!) - Date.now()) < 10_000);
  assert.deepEqual(rest, {
    schema: "public",
    table: "notes",
    type: "INSERT",
    columns: [
      { name: "id", type: "int4" },
      { name: "owner", type: "uuid" },
      { name: "body", type: "text" },
      { name: "big", type: "text" },
      { name: "rank", type: "int4" },
    ],
    record: { id, owner: me, body: "お知らせ", big: null, rank: 5 },
    errors: null,
  });
});
