// The generated types and bounds are those of the functions and tables that the migrations make.
import assert from "node:assert/strict";
import postgres from "postgres";
import { apiTypes, columnBounds, COLUMNS_FILE, FILE } from "../../tools/api_types.ts";

const sql = postgres(Deno.env.get("DB_URL") ?? assert.fail("DB_URL is not set"), { max: 1, onnotice: () => {} });
Deno.test.afterAll(() => sql.end());

Deno.test("api_types.ts: every function of the Data API is in it with its arguments (deno task types)", async () => {
  assert.equal(await Deno.readTextFile(FILE), await apiTypes(sql));
});

Deno.test("columns.ts: every text and number of a table is in it with its bounds (deno task types)", async () => {
  assert.equal(await Deno.readTextFile(COLUMNS_FILE), await columnBounds(sql));
});
