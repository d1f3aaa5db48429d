// The alert rules and the dashboard: each metric and label is one that the endpoint returns, each alert has a section of a page.
import assert from "node:assert/strict";
import { familiesOf } from "../../supabase/functions/health/metrics.ts";
import alerts from "../../tools/monitoring/alerts.json" with { type: "json" };
import dashboard from "../../tools/monitoring/dashboard.json" with { type: "json" };
import { anchorsOf } from "../support/anchors.ts";
import { FIGURES } from "./metric_figures.ts";

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly summary?: string; readonly runbook?: string };
}

const read = (page: string) => Deno.readTextFileSync(new URL(`../../${page}`, import.meta.url));

const rules: readonly Rule[] = alerts.groups.flatMap(({ rules }) => rules as readonly Rule[]);
const recorded = rules.filter(({ record }) => record !== undefined);
const ofAlerts = rules.flatMap((rule) => rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]);

/** The labels of every metric. */
const known = new Map<string, Set<string>>(recorded.map(({ record }) => [record!, new Set()]));
for (const { name, labels } of familiesOf(FIGURES).flatMap(({ samples }) => samples)) {
  known.set(name, known.get(name) ?? new Set(Object.keys(labels)));
}

/** Functions, operators and words of PromQL that the files use. */
const WORDS = new Set(
  "sum max avg_over_time rate histogram_quantile topk absent time by and or bool offset".split(" "),
);

/** Names and labels of an expression that no metric has, and brackets that do not match. */
function faultsOf(expr: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  for (const bracket of expr.replaceAll(/"[^"]*"/g, "").match(/[()[\]{}]/g) ?? []) {
    if ("([{".includes(bracket)) open.push(bracket);
    else if (!["()", "[]", "{}"].includes(`${open.pop()}${bracket}`)) faults.push(`bracket ${bracket}`);
  }
  if (open.length > 0) faults.push(`bracket ${open.join("")}`);
  const names: string[] = [];
  let rest = expr.replaceAll(/([a-z_:][\w:]*)\{([^}]*)\}/g, (_, name: string, matchers: string) => {
    names.push(name);
    for (const matcher of matchers.split(/,(?=[a-z_]+(?:=|!))/)) {
      const label = /^([a-z_]+)(?:=|!=|=~|!~)"[^"]*"$/.exec(matcher)?.[1];
      if (label === undefined) faults.push(`matcher ${matcher}`);
      else if (!known.get(name)?.has(label)) faults.push(`label ${label} of ${name}`);
    }
    return " ";
  });
  const grouped: string[] = [];
  rest = rest.replaceAll(/\bby \(([^)]*)\)/g, (_, labels: string) => {
    grouped.push(...labels.split(",").map((label) => label.trim()));
    return " ";
  }).replaceAll(/\[[^\]]*\]|\boffset \w+|\b\d[\w.]*/g, " ");
  names.push(...(rest.match(/[a-z_:][\w:]*/g) ?? []).filter((word) => !WORDS.has(word)));
  for (const name of names) if (!known.has(name)) faults.push(`metric ${name}`);
  for (const label of grouped) {
    if (!names.some((name) => known.get(name)?.has(label))) faults.push(`label ${label}`);
  }
  if (names.length === 0) faults.push("no metric");
  return faults;
}

Deno.test("alerts: every metric and label of a rule is one that the endpoint returns", () => {
  for (const { record, alert, expr } of rules) assert.deepEqual(faultsOf(expr), [], record ?? alert ?? expr);
  assert.equal(new Set(rules.map(({ record, alert }) => record ?? alert)).size, rules.length, "each name once");
});

Deno.test("alerts: an unknown metric, an unknown label and a wrong bracket are found", () => {
  assert.deepEqual(faultsOf("sum(rate(parking_requests_total[5m]))"), ["metric parking_requests_total"]);
  assert.deepEqual(faultsOf('parking_queue_messages{name="mail"} > 1'), ["label name of parking_queue_messages"]);
  assert.deepEqual(faultsOf("sum by (pod) (parking_queue_messages)"), ["label pod"]);
  assert.deepEqual(faultsOf("sum(parking_queue_messages"), ["bracket ("]);
  assert.deepEqual(faultsOf('parking_provider_outage{reason=~"a|b",queue!="x"} == 1'), []);
});

Deno.test("alerts: each has a severity, a summary and a section of a page that exists", () => {
  assert.ok(ofAlerts.length > 20);
  for (const { alert, labels, annotations } of ofAlerts) {
    assert.match(alert, /^Parking[A-Za-z]+$/);
    assert.match(labels?.severity ?? "", /^(critical|warning)$/, alert);
    assert.match(annotations?.summary ?? "", /^[A-Z].*\.$/, alert);
    const [page, anchor] = (annotations?.runbook ?? "").split("#") as [string, string];
    assert.ok(anchorsOf(read(page)).has(anchor), `${alert}: ${annotations?.runbook}`);
    for (const [, label] of annotations!.summary!.matchAll(/\$labels\.(\w+)/g)) {
      assert.ok([...known.values()].some((labels) => labels.has(label!)), `${alert}: ${label}`);
    }
  }
});

Deno.test("alerts: each objective burns in two windows, and docs/operations/objectives.md has its budget", () => {
  const page = read("docs/operations/objectives.md");
  for (const { alert } of ofAlerts) {
    const [, name] = /^Parking(\w+?)Burns(?:Fast|Slowly)$/.exec(alert) ?? [];
    if (name !== undefined) assert.ok(page.includes(`\`${alert}\``), alert);
  }
  for (const { alert, expr } of ofAlerts.filter(({ alert }) => alert.includes("Burns"))) {
    const pairs = [...expr.matchAll(/ratio_(\w+) > ([\d.]+) and parking:\w+:ratio_(\w+) > ([\d.]+)/g)];
    assert.equal(pairs.length, 2, alert);
    for (const [, long, first, short, second] of pairs) {
      assert.notEqual(long, short);
      assert.equal(first, second, alert);
    }
  }
});

Deno.test("dashboard: every metric and label of a panel is one that the endpoint returns, and no panel covers another", () => {
  const panels = dashboard.panels.filter(({ type }) => type !== "row");
  assert.ok(panels.length >= 15);
  for (const { title, targets } of panels) {
    assert.ok(targets !== undefined && targets.length > 0, title);
    for (const { expr, legendFormat } of targets) {
      assert.deepEqual(faultsOf(expr.replaceAll("$__rate_interval", "5m")), [], title);
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        assert.ok([...known.values()].some((labels) => labels.has(label!)), `${title}: ${label}`);
      }
    }
  }
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + n % w},${y + Math.floor(n / w)}`)
  );
  assert.equal(new Set(cells).size, cells.length);
});

Deno.test("metrics: docs/operations/metrics.md has every metric with its type and labels, and no other", () => {
  const page = read("docs/operations/metrics.md");
  const rows = [...page.matchAll(/^\| `(parking_\w+)` +\| (\w+) +\| ([^|]*)\|/gm)];
  const documented = rows.map(([, name, type, labels]) => [name, type, (labels!.match(/\w+/g) ?? []).sort()]);
  const returned = familiesOf(FIGURES).map(({ name, type, samples }) => [
    name,
    type,
    Object.keys(samples[0]!.labels).filter((label) => label !== "le").sort(),
  ]);
  assert.deepEqual(documented, returned);
});
