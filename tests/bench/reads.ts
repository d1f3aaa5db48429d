// What the ranked nearby and the detail of a lot cost in the database, without clients that disturb: tests/bench/reads.sql.
// deno run -A tests/bench/reads.ts   (needs DB_URL of a database with many lots; `deno task bench reads --lots 20000` makes one)
import postgres from "postgres";

const url = Deno.env.get("DB_URL");
if (!url) throw new Error("DB_URL is not set: run `deno task bench reads --lots 20000`");
const sql = postgres(url, { max: 1, onnotice: ({ message }) => console.log(message) });
try {
  await sql.unsafe(await Deno.readTextFile(new URL("reads.sql", import.meta.url)));
} finally {
  await sql.end();
}
