// The data of `task bench admin` and `task bench worst` load into the schema as it is, and every function can be asked.
import assert from "node:assert/strict";
import { loadConsole } from "../bench/load_console.ts";
import { loadLots } from "../bench/load_lots.ts";
import { loadWorst } from "../bench/load_worst.ts";
import { catalogue } from "../bench/worst_catalogue.ts";
import { missingArguments, NOT_ASKED } from "../bench/worst_questions.ts";
import { database } from "../support/database.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

Deno.test("bench: the tables of worst load, and the questions name rows that are there", async () => {
  await loadLots(db.url, 1000);
  await loadConsole(db.url);
  const known = await loadWorst(db.url);
  assert.deepEqual(Object.entries(known).filter(([, value]) => value === null), []);
});

Deno.test("bench: there are arguments for every function of the catalogue", async () => {
  const missing = (await catalogue(db.sql)).filter(({ name }) => !(name in NOT_ASKED))
    .flatMap((f) => missingArguments(f).map((name) => `${f.name}.${name}`));
  assert.deepEqual(missing, []);
});
