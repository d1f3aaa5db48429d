// docs/clients/requests.md states the rate limit policies that the database has.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";

interface Policy {
  readonly name: string;
  readonly quota: number;
  readonly window: number;
  readonly premium: number | null;
  readonly daily: number | null;
}

const page = await Deno.readTextFile(new URL("../../docs/clients/requests.md", import.meta.url));
const limits = page.split("\n## Rate limits\n")[1]!.split("\n## ")[0]!;

// A database of its own: other tests change the quotas of the one that they share.
const db = await database();
Deno.test.afterAll(() => db.close());

async function policies(): Promise<readonly Policy[]> {
  return await db.sql<Policy[]>`
    select name, quota, window_seconds as window, premium_quota as premium, daily_quota as daily
    from private.rate_limit_policies order by name`;
}

const written = (quota: number) => quota.toLocaleString("en");

Deno.test("docs/clients/requests.md: the table has every policy with its quota, and the quota of premium users", async () => {
  const rows = [...limits.matchAll(/^\| `(\w+)` +\| ([\d,]+ a \d+ s) +\| [^|]+\| ([^|]+?) +\|$/gm)];
  const listed = rows.map(([, name, quota, what]) =>
    `${name}: ${quota}${/premium users ([\d,]+)/.exec(what!)?.[1]?.replace(/^/, ", premium ") ?? ""}`
  );
  const expected = (await policies()).map(({ name, quota, window, premium }) =>
    `${name}: ${written(quota)} a ${window} s${premium === null ? "" : `, premium ${written(premium)}`}`
  );
  assert.deepEqual(listed.sort(), expected.sort());
});

Deno.test("docs/clients/requests.md: the sentence about quotas of 24 hours names each policy that has one", async () => {
  const [sentence] = /\w+ policies also have a quota of 24 hours: [^.]+\./.exec(limits.replaceAll("\n", " ")) ?? [""];
  const quotas = [...sentence.matchAll(/([\d,]+) for ((?:`\w+`(?: and for )?)+)/g)].flatMap(([, quota, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}: ${quota}`)
  );
  const expected = (await policies()).filter(({ daily }) => daily !== null)
    .map(({ name, daily }) => `${name}: ${written(daily!)}`);
  assert.deepEqual(quotas.sort(), expected.sort());
});
