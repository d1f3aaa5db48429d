// Metrics: who may read them, and Prometheus' text format.
import assert from "node:assert/strict";
import { routes } from "../../supabase/functions/health/routes.ts";
import { exposition, familiesOf } from "../../supabase/functions/health/metrics.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { fakeRest, PUBLISHABLE_KEY, SECRET, SECRET_KEY } from "./fake_rest.ts";
import { FIGURES } from "./metric_figures.ts";
import { token } from "../support/tokens.ts";

const TOKEN = "a-token-of-the-monitoring-system-1";
const text = exposition({ metrics: familiesOf(FIGURES) });
const valueOf = (sample: string) => text.split("\n").find((line) => line.startsWith(`${sample} `))?.split(" ").at(-1);

Deno.test("metrics: every line is one of Prometheus' text format, and each name is declared once, before its samples", () => {
  assert.ok(text.endsWith("\n"));
  const types = new Map<string, string>();
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split("\n")) {
    const declared = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line);
    if (declared) {
      const [, kind, name, rest] = declared;
      if (kind === "TYPE") types.set(name!, types.has(name!) ? assert.fail(`${name} is declared twice`) : rest!);
      continue;
    }
    const sample = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\})|(?=\})))*\})? (-?[\d.]+(?:e[+-]?\d+)?)$/
      .exec(line);
    assert.ok(sample, line);
    const name = [...types.keys()].at(-1)!;
    const suffix = sample[1]!.slice(name.length);
    assert.ok(sample[1]!.startsWith(name), line);
    assert.ok(types.get(name) === "histogram" ? /^_(bucket|sum|count)$/.test(suffix) : suffix === "", line);
    assert.ok(!seen.has(`${sample[1]}${sample[2]}`), `${line} is there twice`);
    seen.add(`${sample[1]}${sample[2]}`);
  }
  for (const [name, type] of types) {
    assert.match(name, /^parking_[a-z_]+$/);
    assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);
  }
  assert.ok(seen.size > 60);
});

Deno.test("metrics: buckets are cumulative, by class of status, and a used route has its failures from the start", () => {
  const labels = 'method="GET",route="/a",access="user"';
  const bucket = (bound: string, status = "2xx") =>
    valueOf(`parking_http_request_duration_seconds_bucket{${labels},status_class="${status}",le="${bound}"}`);
  assert.deepEqual(["0.025", "0.05", "30", "+Inf"].map((bound) => bucket(bound)), ["2", "4", "4", "7"]);
  assert.equal(bucket("0.025", "5xx"), "4");
  assert.equal(valueOf(`parking_http_request_duration_seconds_sum{${labels},status_class="2xx"}`), "101");
  assert.equal(valueOf(`parking_http_request_duration_seconds_count{${labels},status_class="2xx"}`), "7");
  const responses = (status: number) => valueOf(`parking_http_requests_total{${labels},status="${status}"}`);
  assert.deepEqual([200, 201, 500, 503].map(responses), ["6", "1", "0", "4"]);
});

Deno.test("metrics: ages are those of the read, outages have their reason, and values of labels are escaped", () => {
  assert.equal(valueOf('parking_queue_oldest_due_seconds{queue="mail"}'), "90");
  assert.equal(valueOf('parking_queue_oldest_due_seconds{queue="store-sync"}'), "0");
  assert.equal(valueOf('parking_queue_dead_messages{queue="mail"}'), "1");
  assert.equal(valueOf('parking_provider_outage{queue="mail",reason="quota"}'), "1");
  assert.equal(valueOf('parking_provider_outage{queue="mail",reason="outage"}'), "0");
  assert.equal(valueOf('parking_provider_outage_seconds{queue="mail"}'), "3600");
  assert.equal(valueOf('parking_queue_paused_seconds{queue="mail"}'), "30");
  assert.equal(valueOf('parking_queue_paused_seconds{queue="push-dispatch"}'), "0");
  assert.equal(valueOf('parking_job_failing{job_name="p\\"u\\\\r\\nge"}'), "1");
  assert.equal(valueOf("parking_database_slow_statements"), "2");
  assert.equal(valueOf("parking_database_slowest_statement_seconds"), "0.8");
});

Deno.test("metrics: only METRICS_TOKEN reads them; without the setting they are not configured", async () => {
  await using rest = fakeRest(() => Response.json(FIGURES));
  const read = async (metricsToken: string | null, headers: Record<string, string>) => {
    const { fetch } = createApp(routes, { config: () => ({ ...rest.config, metricsToken }), log: () => {} });
    return await fetch(new Request("http://localhost/health/metrics", { headers }));
  };
  const good = await read(TOKEN, { authorization: `Bearer ${TOKEN}` });
  assert.deepEqual([good.status, await good.text()], [200, text]);
  assert.match(good.headers.get("content-type")!, /^text\/plain; charset=utf-8$/);
  const json = await read(TOKEN, { authorization: `Bearer ${TOKEN}`, accept: "application/json" });
  assert.deepEqual(await json.json(), { metrics: familiesOf(FIGURES) });

  const wrong: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: `Bearer ${TOKEN.slice(0, -1)}` },
    { authorization: `Bearer ${SECRET_KEY}` },
    { authorization: `Bearer ${PUBLISHABLE_KEY}` },
    { authorization: `Bearer ${token(crypto.randomUUID(), { secret: SECRET })}` },
    { authorization: TOKEN },
    { authorization: "Bearer " },
    { apikey: TOKEN },
    { apikey: SECRET_KEY },
  ];
  for (const headers of wrong) {
    const refused = await read(TOKEN, headers);
    const { error } = await refused.json();
    assert.deepEqual([refused.status, error.code], [401, "unauthorized"], JSON.stringify(headers));
    const without = await read(null, headers);
    assert.deepEqual([without.status, (await without.json()).error.details], [503, { reason: "not_configured" }]);
  }
  const off = await read(null, { authorization: `Bearer ${TOKEN}` });
  assert.deepEqual([off.status, (await off.json()).error.details], [503, { reason: "not_configured" }]);
  assert.equal(rest.calls.filter(({ name }) => name === "service_metrics").length, 2);
});
