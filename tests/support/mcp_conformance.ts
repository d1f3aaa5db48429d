// Runs the server scenarios of the Model Context Protocol's conformance suite against a platform of its own (`deno task
// conformance`): those that the revision requires, and those that the suite runs without a score. What does not apply has
// its reason here. It fails if another check fails, or if one of these passes. The suite comes from the npm registry.
import { startTestPlatform } from "./platform.ts";

const SUITE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";
const REVISION = "2026-07-28";

const FIXTURE = "calls a tool of the suite's example server, which this service does not have";
const RESOURCE = "reads a resource of the suite's example server; the service's have URIs of their own";
const PROMPTS = "needs prompts, which the service does not offer";
const ROUNDS = "calls a tool of the suite's example server that asks the client; no tool of the service does";
const STREAMS = "needs subscriptions; the service keeps no stream open, and nothing that it lists changes";

const TASKS =
  "needs the extension io.modelcontextprotocol/tasks, which the service does not offer: no tool runs that long";

/** Scenarios, or checks of one, that do not apply. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  "server-stateless:sep-2575-server-rejects-undeclared-capability": FIXTURE,
  "server-stateless:sep-2575-missing-capability-http-400": FIXTURE,
  "server-stateless:sep-2575-http-server-no-independent-requests-on-stream": FIXTURE,
  "server-stateless:sep-2575-server-no-log-without-loglevel": FIXTURE,
  "server-stateless:sep-2575-server-sends-subscription-ack": STREAMS,
  "server-stateless:sep-2575-server-tags-subscription-id": STREAMS,
  "completion-complete": "needs completion of arguments, which the service does not offer",
  "tools-call-simple-text": FIXTURE,
  "tools-call-image": FIXTURE,
  "tools-call-audio": FIXTURE,
  "tools-call-embedded-resource": FIXTURE,
  "tools-call-mixed-content": FIXTURE,
  "tools-call-error": FIXTURE,
  "tools-call-with-progress": FIXTURE,
  "resources-read-text": RESOURCE,
  "resources-read-binary": RESOURCE,
  "resources-templates-read": RESOURCE,
  "prompts-list": PROMPTS,
  "prompts-get-simple": PROMPTS,
  "prompts-get-with-args": PROMPTS,
  "prompts-get-embedded-resource": PROMPTS,
  "prompts-get-with-image": PROMPTS,
  "caching:sep-2549-prompts-list-caching-hints": PROMPTS,
  "input-required-result-basic-elicitation": ROUNDS,
  "input-required-result-basic-sampling": ROUNDS,
  "input-required-result-basic-list-roots": ROUNDS,
  "input-required-result-request-state": ROUNDS,
  "input-required-result-multiple-input-requests": ROUNDS,
  "input-required-result-multi-round": ROUNDS,
  "input-required-result-missing-input-response": ROUNDS,
  "input-required-result-ignore-extra-params": ROUNDS,
  "input-required-result-non-tool-request": ROUNDS,
  "input-required-result-result-type": ROUNDS,
  "input-required-result-tampered-state": ROUNDS,
  "input-required-result-capability-check": ROUNDS,
};

/** Scenarios without a score that do not apply. The suite compares only the others with a list of expected failures. */
const UNSCORED: Readonly<Record<string, string>> = {
  "tasks-lifecycle": TASKS,
  "tasks-capability-negotiation": TASKS,
  "tasks-wire-fields": TASKS,
  "tasks-request-state-removal": TASKS,
  "tasks-mrtr-input": TASKS,
  "tasks-request-headers": TASKS,
  "tasks-dispatch-and-envelope": TASKS,
  "tasks-required-task-error": TASKS,
  "tasks-mrtr-composition": TASKS,
  "json-schema-2020-12": "reads the schema of a tool of the suite's example server, which this service does not have",
  "http-custom-header-server-validation":
    "needs an argument that is sent as a header too (x-mcp-header); no tool of the service has one",
};

const RESULT = /^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/;

const folder = await Deno.makeTempDir({ prefix: "conformance-" });
const platform = await startTestPlatform();
let status = 1;
try {
  const baseline = `${folder}/not_applicable.yml`;
  const entries = Object.keys(NOT_APPLICABLE).map((name) => `  - ${name}\n`);
  await Deno.writeTextFile(baseline, `server:\n${entries.join("")}`);
  const url = `${platform.status.FUNCTIONS_URL}/mcp`;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-config",
      "--no-lock",
      SUITE,
      "server",
      "--url",
      url,
      "--requirements",
      REVISION,
    ]
      .concat("--expected-failures", baseline),
    cwd: folder,
  }).output();
  const decoder = new TextDecoder();
  // deno-lint-ignore no-control-regex
  const output = (decoder.decode(stdout) + decoder.decode(stderr)).replace(/\x1b\[[0-9;]*m/g, "");
  const results = output.split("\n").flatMap((line) => {
    const [, sign, name, passed, failed] = RESULT.exec(line) ?? [];
    return sign === undefined ? [] : [{ sign, name: name!, passed: passed!, failed: failed! }];
  });
  for (const { sign, name, passed, failed } of results) {
    console.log(`${sign} ${name}: ${passed} passed, ${failed} failed`);
    for (const [entry, reason] of [...Object.entries(NOT_APPLICABLE), ...Object.entries(UNSCORED)]) {
      const [scenario, check] = entry.split(":");
      if (scenario === name) console.log(`    not applicable${check ? ` (${check})` : ""}: ${reason}`);
    }
  }
  const last = output.split("\n").findIndex((line) => line.startsWith("Total:"));
  console.log(output.split("\n").slice(last < 0 ? -40 : last).join("\n").trim());
  const known = new Set([...Object.keys(NOT_APPLICABLE), ...Object.keys(UNSCORED)].map((entry) => entry.split(":")[0]));
  const failed = new Set(results.filter(({ sign }) => sign === "✗").map(({ name }) => name));
  const wrong = [
    ...[...failed].filter((name) => !known.has(name)).map((name) => `${name} fails, and has no reason here`),
    ...Object.keys(UNSCORED).filter((name) => !failed.has(name)).map((name) => `${name} passes, or is no longer run`),
  ];
  for (const each of wrong) console.log(each);
  status = results.length === 0 || wrong.length > 0 ? 1 : code;
} finally {
  await platform.stop();
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(status);
