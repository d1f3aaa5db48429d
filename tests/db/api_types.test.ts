// The types that calls of the database are checked by are those of the functions that the migrations make.
import assert from "node:assert/strict";
import postgres from "postgres";
import { apiTypes, FILE } from "../../tools/api_types.ts";

Deno.test("api_types.ts: every function of the Data API is in it with its arguments (deno task types)", async () => {
  const sql = postgres(Deno.env.get("DB_URL") ?? assert.fail("DB_URL is not set"), { max: 1, onnotice: () => {} });
  try {
    const types = await apiTypes(sql);
    assert.equal(await Deno.readTextFile(FILE), types);
  } finally {
    await sql.end();
  }
});
