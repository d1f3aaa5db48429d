// Every template of notifications, rendered in both languages with values like those that its cause gives.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { newUser } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());

const sql = db.sql;
const [texts] = await sql`
  select private.money_text(1500, 'JPY') as amount, private.reason_text('12345-a') as reason, private.reason_text(null) as no_reason`;
const plan = { ja: "プレミアム（月額）", en: "Premium, monthly" };
const lot = "Shibuya 1st";
const reasons = [{ lot, reason: texts!["reason"] }, { lot, reason: texts!["no_reason"] }];

/** By template: what its cause gives, with and without what is optional. */
const VALUES: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  fee_increase: [{ time: "09:05", amount: texts!["amount"] }],
  exit_closing: [{ time: "23:30" }],
  fee_surprise: [{
    time: "00:00",
    before: texts!["amount"],
    amount: texts!["amount"],
    until: { ja: "6/2 18:30", en: "2 Jun 18:30" },
    message: { ja: "最大料金は24時までです。", en: "The maximum fee ends at midnight." },
  }],
  review_approved: reasons,
  review_hidden: reasons,
  review_rejected: reasons,
  error_report_resolved: reasons,
  error_report_rejected: reasons,
  support_reply: [{ subject: "Receipt" }],
  badge_earned: [{
    badge: { ja: "はじめの一台", en: "First stay" },
    description: { ja: "はじめて駐車しました。", en: "You parked for the first time." },
  }],
  level_up: [{ level: 12, exp: "12,345" }],
  subscription_granted: [{ plan }],
  subscription_failing: [{ plan }],
  subscription_recovered: [{ plan }],
  subscription_ended: [{ plan }],
  subscription_moved_here: [{ plan }],
  subscription_moved_away: [{ plan }],
  theme_gift: [{ theme: "Night", message: "\n:-)" }, { theme: "Night", message: "" }],
};

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}。、「」]/u;
const users = { ja: await newUser(sql), en: await newUser(sql) };
await sql`update public.app_users set lang = 'en' where id = ${users.en}`;

const names = (await sql<{ name: string }[]>`select distinct name from private.notification_templates order by name`)
  .map(({ name }) => name);

Deno.test("notification templates: each template has values here, and each value has a template", () => {
  assert.deepEqual(Object.keys(VALUES).sort(), names);
});

for (const name of names) {
  Deno.test(`notification templates: ${name} reads well in both languages`, async () => {
    for (const values of VALUES[name] ?? []) {
      for (const lang of ["ja", "en"] as const) {
        const [{ id } = { id: "" }] = await sql<{ id: string }[]>`
          select private.notify(${users[lang]}, ${name}, ${sql.json(values as never)}) as id`;
        const [row] = await sql<{ title: string; body: string }[]>`
          select title, body from public.user_notifications where id = ${id}`;
        const { title, body } = row!;
        const text = `${title}\n${body}`;
        assert.ok([...title].length <= 60 && !title.includes("\n"), `a title is one line on a phone: ${title}`);
        assert.ok([...body].length <= 150, body);
        assert.doesNotMatch(text, /[{}]|null|undefined|\[object/);
        for (const part of [title, body]) assert.equal(part, part.trim());
        assert.doesNotMatch(text, /\n\s*\n| {2}/);
        assert.equal(JAPANESE.test(title) && (JAPANESE.test(body)), lang === "ja", text);
        assert.ok(lang === "ja" || !JAPANESE.test(text), text);
        assert.match(body.split("\n")[0]!, lang === "ja" ? /。$/ : /\.$/, "the first line of the body is a sentence");
      }
    }
  });
}
