// The id of a request in the database: in its log, and wherever a function asks for it.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { eventually } from "../support/eventually.ts";
import { rpc, withFunction } from "../support/rest.ts";
import { stack } from "../support/stack.ts";

Deno.test("Postgres log: a failed statement has the id of its request", async () => {
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  const [row] = await sql<{ folder: string }[]>`select current_setting('data_directory') as folder`;
  await sql.end();
  const headers = { "x-request-id": "the-clients-own-id" };
  const response = await fetch(`${stack().functionsUrl}/parking-lots/${crypto.randomUUID()}`, { headers });
  assert.equal((await response.json()).error.code, "lot_not_found");
  const id = response.headers.get("x-request-id")!;
  const line = await eventually(async () => {
    const log = await Deno.readTextFile(join(dirname(row!.folder), "postgres.log"));
    return log.split("\n").find((line) => line.includes(id));
  });
  assert.match(line, new RegExp(`authenticator@\\w+ ${id} ERROR: .*lot_not_found`));
  assert.doesNotMatch(line, /the-clients-own-id/);
});

Deno.test("private.tag_request: sets application_name to the id, unless the id is invalid", async () => {
  const definition = `() returns text language sql stable as $$ select current_setting('application_name') $$`;
  await withFunction(definition, async (name) => {
    const nameFor = async (headers: Record<string, string>) => await (await rpc(name, {}, headers)).json();
    const id = crypto.randomUUID();
    assert.equal(await nameFor({ "x-request-id": id }), id);
    const usual = await nameFor({});
    assert.notEqual(usual, id, "it ends with its transaction");
    for (const odd of ["short", "a".repeat(64), "has spaces in it", "quote'quote", "%a%a%a%a%a"]) {
      assert.equal(await nameFor({ "x-request-id": odd }), usual, odd);
    }
  });
});
