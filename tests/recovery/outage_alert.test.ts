// An outage of a provider from end to end: the stand-in of FCM fails, the metric changes, the rule of the alert holds, its page
// has the section with the first steps, and everything ends with the outage. Time passes by ageing rows.
import assert from "node:assert/strict";
import alerts from "../../tools/monitoring/alerts.json" with { type: "json" };
import { anchorsOf } from "../support/anchors.ts";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";
import { eventually } from "../support/eventually.ts";
import { scriptFcm } from "../support/providers.ts";
import { consume, loadDevices, sendToAll } from "./pushes.ts";

const DEVICES = 20;
const QUEUE = "push-dispatch";

/** The samples of the endpoint, by name with labels as they are written. */
async function scrape({ status }: CrashPlatform): Promise<Map<string, number>> {
  const response = await fetch(`${status.FUNCTIONS_URL}/health/metrics`, {
    headers: { authorization: `Bearer ${status.SECRET_KEY}` },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return new Map(
    [...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, sample, value]) => [sample!, Number(value)]),
  );
}

interface Alert {
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: { readonly runbook: string };
}

function ruleOf(name: string): Alert {
  const rules = alerts.groups.flatMap((group) => group.rules as readonly Alert[]);
  return rules.find(({ alert }) => alert === name) ?? assert.fail(`there is no ${name}`);
}

/** Whether the rule holds for the queue. Only for rules that compare one metric with a number. */
function holds(name: string, samples: ReadonlyMap<string, number>): boolean {
  const { expr } = ruleOf(name);
  const [, metric, bound] = /^(\w+) > (\d+)$/.exec(expr) ?? assert.fail(`${name}: ${expr}`);
  const value = samples.get(`${metric}{queue="${QUEUE}"}`) ?? assert.fail(`there is no ${metric}`);
  return value > Number(bound);
}

/** The text of the section that the alert names. */
function runbookOf(name: string): string {
  const [page, anchor] = ruleOf(name).annotations!.runbook.split("#") as [string, string];
  const text = Deno.readTextFileSync(new URL(`../../${page}`, import.meta.url));
  const section = text.split(/^(?=## )/m).find((part) => anchorsOf(part.split("\n")[0]!).has(anchor));
  return section ?? assert.fail(`${page} has no ${anchor}`);
}

async function age({ sql }: CrashPlatform, minutes: number): Promise<void> {
  await sql`
    update private.outages set failing_since = failing_since - make_interval(mins => ${minutes}::integer) where queue = ${QUEUE}`;
  await sql`update pgmq."q_push-dispatch" set vt = vt - make_interval(mins => ${minutes}::integer)`;
  await sql`select private.refresh_overview_now()`;
}

Deno.test("outage: a failing FCM is a metric, an alert and a section of a page, and is over when FCM is back", async () => {
  await using platform = await crashPlatform();
  const { sql, status: { PROVIDERS_URL } } = platform;
  const outage = (reason: string) => `parking_provider_outage{queue="${QUEUE}",reason="${reason}"}`;
  await loadDevices(platform, DEVICES);
  const quiet = await scrape(platform);
  assert.equal(quiet.get(outage("outage")), 0);
  for (const alert of ["ParkingProviderOutage", "ParkingQueueLate"]) assert.ok(!holds(alert, quiet), alert);

  await scriptFcm({ reset: true, rules: [{ prefix: "", status: 503 }] }, PROVIDERS_URL);
  await sendToAll(platform);
  const down = await eventually(async () => {
    await consume(platform, 1);
    const samples = await scrape(platform);
    return samples.get(outage("outage")) === 1 ? samples : undefined;
  }, 60_000);
  assert.ok(down.get(`parking_queue_paused_seconds{queue="${QUEUE}"}`)! > 0);
  assert.ok(!holds("ParkingProviderOutage", down), "it has only begun");

  await age(platform, 20);
  const late = await scrape(platform);
  for (const alert of ["ParkingProviderOutage", "ParkingQueueLate"]) assert.ok(holds(alert, late), alert);
  assert.ok(late.get(`parking_queue_due_messages{queue="${QUEUE}"}`)! > 0);
  assert.match(runbookOf("ParkingProviderOutage"), /`parking_provider_outage`[\s\S]*status page/);
  assert.match(runbookOf("ParkingQueueLate"), /oldest_due_at/);

  await scriptFcm({ reset: true }, PROVIDERS_URL);
  await sql`update private.outages set paused_until = now() where queue = ${QUEUE}`;
  const over = await eventually(async () => {
    await consume(platform, 1);
    await sql`update pgmq."q_push-dispatch" set vt = least(vt, now())`;
    await sql`select private.refresh_overview_now()`;
    const samples = await scrape(platform);
    return samples.get(`parking_queue_messages{queue="${QUEUE}"}`) === 0 ? samples : undefined;
  }, 60_000);
  assert.equal(over.get(outage("outage")), 0);
  assert.equal(over.get(`parking_provider_outage_seconds{queue="${QUEUE}"}`), 0);
  for (const alert of ["ParkingProviderOutage", "ParkingQueueLate"]) assert.ok(!holds(alert, over), alert);
});
