// Plans, articles, advertisements, the vendors' documents and crash reports, through the gateway.
import assert from "node:assert/strict";
import { listAds } from "../../supabase/functions/ads/routes.ts";
import { listArticles, readArticle } from "../../supabase/functions/articles/routes.ts";
import { Ads } from "../../supabase/functions/_shared/schema/ads.ts";
import { ArticleDetail, Articles } from "../../supabase/functions/_shared/schema/articles.ts";
import { CrashReported } from "../../supabase/functions/report-crash/crash_reports.schema.ts";
import { SubscriptionPlans } from "../../supabase/functions/_shared/schema/plans.ts";
import { AppleAppSiteAssociation, AssetLinks } from "../../supabase/functions/well-known/well_known.schema.ts";
import { reportCrash } from "../../supabase/functions/report-crash/routes.ts";
import { listPlans } from "../../supabase/functions/subscription-plans/routes.ts";
import { readAppleAssociation, readAssetLinks } from "../../supabase/functions/well-known/routes.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, replyOf, tagOf } from "./client.ts";
import { inDatabase } from "./lots.ts";
import { undisturbed } from "./undisturbed.ts";

Deno.test("reference: plans, articles and advertisements are public, are cached, and are sent again only when they changed", () =>
  undisturbed(["subscription_plans", "articles", "ads"], async () => {
    for (const path of ["/subscription-plans", "/articles", "/articles/how-maximum-fees-work", "/ads?seed=a"]) {
      const first = await ask(path, { headers: bearer(stack().publishableKey) });
      await first.body?.cancel();
      assert.equal(first.status, 200, path);
      assert.match(first.headers.get("cache-control") ?? "", /^public, max-age=\d+/);
      const again = await ask(path, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
      assert.deepEqual([again.status, await again.text(), tagOf(again)], [304, "", tagOf(first)], path);
    }
  }));

Deno.test("reference: the plans have the specification's fields, in Japanese unless English is requested, page by page", () =>
  undisturbed("subscription_plans", async () => {
    const plans = async (path: string) => await replyOf(listPlans, await ask(path), SubscriptionPlans);
    const [japanese, english] = [await plans("/subscription-plans"), await plans("/subscription-plans?lang=en")];
    const monthly = english.items.find(({ code }) => code === "premium_monthly");
    assert.deepEqual({ ...monthly, id: "" }, {
      id: "",
      code: "premium_monthly",
      name: "Premium, monthly",
      description: "Renews every month.",
      price_minor: 480,
      currency: "JPY",
      billing_period: "month",
      accent_color: "#1565c0",
      features: ["A search that counts the walk", "60 AI searches a minute"],
      sort_order: 10,
    });
    assert.deepEqual(japanese.items.map(({ id }) => id), english.items.map(({ id }) => id));
    const first = await plans("/subscription-plans?limit=1");
    const second = await plans(`/subscription-plans?limit=1&cursor=${first.next_cursor}`);
    assert.deepEqual([...first.items, ...second.items], japanese.items.slice(0, 2));
    const foreign = await ask(`/subscription-plans?lang=en&cursor=${first.next_cursor}`);
    await assertError(foreign, { code: "validation_error", param: "cursor" });
  }));

Deno.test("reference: an article is listed without its body and read with it, in the requested language", async () => {
  const list = await replyOf(listArticles, await ask("/articles?lang=en&limit=100"), Articles);
  const listed = list.items.find(({ slug }) => slug === "how-maximum-fees-work");
  const read = await replyOf(readArticle, await ask("/articles/how-maximum-fees-work?lang=en"), ArticleDetail);
  const { body, ...rest } = read;
  assert.deepEqual(rest, listed);
  assert.match(body, /^# How maximum fees work\n/);
  const japanese = await replyOf(readArticle, await ask("/articles/how-maximum-fees-work"), ArticleDetail);
  assert.deepEqual([japanese.locale, japanese.tags], ["ja", ["料金"]]);
  await assertError(await ask("/articles/high-roof-cars?lang=en"), { code: "not_found", param: "slug" });
});

Deno.test("reference: advertisements of a placement come in the order of the seed, page by page", async () => {
  const ads = async (path: string) => await replyOf(listAds, await ask(path), Ads);
  const whole = await ads("/ads?seed=installation-1&limit=100");
  assert.equal(whole.seed, "installation-1");
  assert.deepEqual(whole, await ads("/ads?seed=installation-1&limit=100"));
  const paged = [];
  let page = await ads("/ads?seed=installation-1&limit=3");
  for (paged.push(...page.items); page.next_cursor !== null; paged.push(...page.items)) {
    page = await ads(`/ads?seed=installation-1&limit=3&cursor=${page.next_cursor}`);
  }
  assert.deepEqual(paged, whole.items);
  const home = await ads("/ads?placement=home_top");
  assert.ok(home.items.length >= 2 && home.items.every(({ placement }) => placement === "home_top"));
});

Deno.test("reference: Apple's and Google's documents are at their paths, as JSON, with no redirect and no token", async () => {
  for (
    const [name, route, schema] of [
      ["apple-app-site-association", readAppleAssociation, AppleAppSiteAssociation],
      ["assetlinks.json", readAssetLinks, AssetLinks],
    ] as const
  ) {
    const ours = await replyOf<typeof schema>(route, await ask(`/well-known/${name}`), schema);
    const response = await fetch(`${stack().apiUrl}/.well-known/${name}`, { redirect: "manual" });
    assert.equal(response.headers.get("content-type")?.split(";")[0], "application/json");
    assert.match(response.headers.get("cache-control") ?? "", /^public, max-age=3600$/);
    assert.deepEqual(await replyOf<typeof schema>(route, response, schema), ours);
  }
  const other = await fetch(`${stack().apiUrl}/.well-known/security.txt`);
  assert.equal(other.status, 404);
  await other.body?.cancel();
});

/** An address that no other test reports from. */
const address = () => ({ "cf-connecting-ip": `203.0.113.${Math.floor(Math.random() * 256)}-${crypto.randomUUID()}` });
const report = (body: unknown, headers: Record<string, string>) =>
  ask("/report-crash", { method: "POST", ...jsonBody(body, headers) });

Deno.test("reference: a crash is reported with or without a token, and counted", async () => {
  const device = `device ${crypto.randomUUID()}`;
  const crash = { stack: "StateError: no lot\n  at main (app.dart:1:2)", device, app_version: "1.4.2" };
  const from = address();
  for (const headers of [from, { ...from, ...bearer("nonsense") }, { ...from, ...bearer(stack().publishableKey) }]) {
    assert.deepEqual(await replyOf(reportCrash, await report(crash, headers), CrashReported), { ok: true });
  }
  const rows = await inDatabase((sql) =>
    sql`select stack, app_version, report_count from public.client_crash_reports where device = ${device}`
  );
  assert.deepEqual(rows.map((row) => ({ ...row })), [{
    stack: crash.stack,
    app_version: "1.4.2",
    report_count: 3,
  }]);
});

Deno.test("POST /report-crash: a row is counted for the /48 that adds it, which is kept as a keyed hash", async () => {
  const device = `device ${crypto.randomUUID()}`;
  const network = `2001:db8:${crypto.randomUUID().slice(0, 4)}`;
  for (const [stack, host] of [["Error: a", "1"], ["Error: b", "2"]] as const) {
    const crash = { stack, device, app_version: "1" };
    await replyOf(reportCrash, await report(crash, { "cf-connecting-ip": `${network}:${host}::1` }), CrashReported);
  }
  const sources = await inDatabase((sql) =>
    sql<{ network: string }[]>`
      select s.network from private.crash_report_sources s join public.client_crash_reports c on c.id = s.report_id
      where c.device = ${device}`
  );
  assert.equal(sources.length, 2);
  assert.equal(sources[0]!.network, sources[1]!.network);
  assert.match(sources[0]!.network, /^[0-9a-f]{32}$/);
});

Deno.test("reference: an address reports at most ten crashes a minute, with stacks of at most 64 KiB", async () => {
  const from = address();
  const crash = { stack: "Error", device: "limited", app_version: "1" };
  const large = await report({ ...crash, stack: "駐".repeat(21_846) }, from);
  await assertError(large, { code: "validation_error", param: "stack" });
  await assertError(await report({ ...crash, stack: "a".repeat(65_537) }, from), {
    code: "validation_error",
    param: "stack",
    field: "too_big",
  });
  for (let n = 3; n <= 10; n++) {
    const response = await report(crash, from);
    await response.body?.cancel();
    assert.deepEqual([response.status, response.headers.get("ratelimit")?.split(";")[1]], [200, `r=${10 - n}`]);
  }
  const beyond = await report(crash, from);
  assert.match(beyond.headers.get("retry-after") ?? "", /^\d+$/);
  await assertError(beyond, { code: "rate_limited" });
});

Deno.test("reference: the Data API rejects crash reports without a secret key", async () => {
  const response = await fetch(`${stack().restUrl}/rpc/report_crash`, {
    method: "POST",
    ...jsonBody({ p_stack: "Error", p_device: "d", p_app_version: "1" }, {
      apikey: stack().publishableKey,
      "content-profile": "api",
    }),
  });
  await response.body?.cancel();
  assert.ok([401, 403].includes(response.status), String(response.status));
});
