// Spectral with its rules for OpenAPI and the OWASP API Security rules. Redocly's rules run in openapi.test.ts.
import assert from "node:assert/strict";
import { Spectral } from "@stoplight/spectral-core";
import { contract } from "../../supabase/functions/openapi/contract.ts";
import { EXCEPTIONS, ruleset } from "./spectral_ruleset.ts";

interface Finding {
  readonly rule: string;
  readonly at: string;
}

async function lint(document: unknown): Promise<Finding[]> {
  const spectral = new Spectral();
  spectral.setRuleset(ruleset);
  // As a client reads it: without values that JSON does not have.
  const findings = await spectral.run(JSON.parse(JSON.stringify(document)));
  return findings.map(({ code, path }) => ({ rule: String(code), at: path.join(" ") }));
}

const isExcepted = ({ rule, at }: Finding) => EXCEPTIONS.some((exception) => matches(exception, { rule, at }));

function matches(exception: typeof EXCEPTIONS[number], { rule, at }: Finding): boolean {
  return exception.rule === rule && exception.at.test(at);
}

Deno.test("contract: Spectral finds nothing but the exceptions with a reason, and each exception is needed", async () => {
  const findings = await lint(contract());
  assert.deepEqual(findings.filter((finding) => !isExcepted(finding)), []);
  const unused = EXCEPTIONS.filter((exception) => !findings.some((finding) => matches(exception, finding)));
  assert.deepEqual(unused.map(({ rule, at }) => `${rule} ${at}`), []);
});

Deno.test("contract: Spectral finds a write without a token, an endless text and an error without rate limit headers", async () => {
  const { paths, components, ...rest } = contract();
  const operation = {
    ...paths["/v1/me/vehicles"]!.post,
    security: [],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { type: "object", properties: { text: { type: ["string", "null"] } } } },
      },
    },
    responses: { 200: { description: "OK" }, 409: { description: "Conflict" } },
  };
  const findings = await lint({ ...rest, paths: { "/v1/things": { post: operation } }, components });
  const rules = new Set(findings.filter((finding) => !isExcepted(finding)).map(({ rule }) => rule));
  for (
    const rule of [
      "owasp:api2:2023-write-restricted",
      "owasp:api4:2023-string-limit",
      "owasp:api4:2023-rate-limit",
      "owasp:api4:2023-rate-limit-responses-429",
    ]
  ) assert.ok(rules.has(rule), rule);
});
