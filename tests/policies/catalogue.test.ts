// The project rules hold for every object of the schema; and each rule finds an object that breaks it.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { catalogueRules } from "./catalogue.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

for (const { guarantee, query, proof: [change, broken] } of catalogueRules) {
  Deno.test(guarantee, async () => {
    assert.deepEqual((await db.sql.unsafe(query)).map((row) => row.broken), []);
  });

  Deno.test(`the matrix fails without this guarantee: ${guarantee}`, async () => {
    const undo = new Error("undo");
    await assert.rejects(
      db.sql.begin(async (sql) => {
        await sql.unsafe(change);
        assert.deepEqual((await sql.unsafe(query)).map((row) => row.broken), [broken]);
        throw undo;
      }),
      undo,
    );
  });
}
