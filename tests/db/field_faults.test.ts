// Commands: a field that a constraint does not allow is a validation_error that names it, by the entry point of clients.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newLot, newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const user = await newUser(db.sql);
const lot = await newLot(db.sql);

async function run(
  command: string,
  args: object,
): Promise<[status: string, code: string, message: string, param: unknown]> {
  const [row] = await db.as(
    signedIn(user),
    (sql) =>
      sql<{ reply: { code: string; message: string; details: string }; status: string }[]>`
      select r.reply, current_setting('response.status', true) as status
      from (select api.run_command(${command}, ${JSON.stringify(args)}::text::jsonb) as reply offset 0) r`,
  );
  const { code, message, details } = row!.reply;
  return [row!.status, code, message, details.startsWith("{") ? JSON.parse(details).param : null];
}

const review = (rating: number | null, comment?: string) => ({
  p_parking_lot_id: lot,
  p_rating: rating,
  p_comment: comment,
});
const faults: [command: string, args: object, param: string, message: string][] = [
  ["update_my_account", { p_display_name: "" }, "display_name", "display_name must have 1 to 100 characters."],
  ["update_my_account", { p_lang: "de" }, "lang", "lang must be one of ja, en."],
  ["post_review", review(6), "rating", "rating must be between 1 and 5."],
  ["post_review", review(null), "rating", "rating is required."],
  ["post_review", review(3, "a".repeat(2001)), "comment", "comment must have at most 2000 characters."],
  ["rate_parking_lot", { p_parking_lot_id: lot, p_value: "fine" }, "value", "value must be one of good, bad."],
];
for (const [command, args, param, message] of faults) {
  Deno.test(`field errors: ${command}: a value that violates a constraint is rejected: ${message}`, async () => {
    assert.deepEqual(await run(command, args), ["422", "validation_error", message, param]);
  });
}

Deno.test("run_command: a constraint on a column that the call did not send names no field", async () => {
  await db.sql.unsafe(`
    create function commands.probe_lang(p_name text) returns void language plpgsql security definer set search_path = ''
      as $$ begin update public.app_users set lang = p_name where id = auth.uid(); end $$;
    grant execute on function commands.probe_lang(text) to authenticated`);
  try {
    const [status, code, , param] = await run("probe_lang", { p_name: "odd" });
    assert.deepEqual([status, code, param], ["400", "23514", null]);
  } finally {
    await db.sql`drop function commands.probe_lang(text)`;
  }
});
