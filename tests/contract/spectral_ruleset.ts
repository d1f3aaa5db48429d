// The rules of Spectral for openapi.json: spectral:oas (recommended) and every OWASP rule. A rule that is off, narrowed or
// has exceptions has its reason here. `openapi_lint.test.ts` applies them and rejects an exception that matches nothing.
import owaspRules from "@stoplight/spectral-owasp-ruleset";
import type { RulesetDefinition } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { isMachine, type Route } from "../../supabase/functions/_shared/http/route.ts";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { isInternalTag, tagOf } from "../../supabase/functions/openapi/tags.ts";

/** The package's types describe its other form of module. */
const owasp = owaspRules as unknown as { readonly rules: Readonly<Record<string, unknown>> };

/** Rules that do not apply to this contract at all. */
const OFF: Readonly<Record<string, string>> = {
  "info-contact": "The contact is the operator's. The same contract is served by every installation.",
  "owasp:api4:2023-string-restricted": "Titles, names and comments are free text. `string-limit` bounds their length.",
  "owasp:api5:2023-admin-security-unique":
    "Administrators send the same kind of token. The database decides by its user; each operation names its scope.",
  "owasp:api8:2023-define-cors-origin":
    "Every response has Access-Control-Allow-Origin. `info.description` states that once for all responses.",
};

/** The schemas in request bodies that have this type, and no format, pattern or list of values. Every integer has a format. */
function inBodies(type: string): string[] {
  const hasType = `@.type && @.type.includes && @.type.includes('${type}')`;
  const isUnbounded = `${hasType} ${type === "integer" ? "" : "&& !@.format"} && !@.pattern && !@.enum`;
  return [`$.paths[*][*].requestBody.content[*].schema..[?(@ && ${isUnbounded})]`];
}

/** Rules that apply to a part of the contract. */
const NARROWED: Readonly<Record<string, { readonly given: string[]; readonly reason: string }>> = {
  "owasp:api4:2023-array-limit": {
    given: inBodies("array"),
    reason: "Limits protect the service from requests. Lists of a response have the `limit` of the request.",
  },
  "owasp:api4:2023-integer-limit": {
    given: inBodies("integer"),
    reason: "Limits protect the service from requests.",
  },
  "owasp:api4:2023-string-limit": {
    given: inBodies("string"),
    reason: "Limits protect the service from requests. The platform limits URLs and headers. A format is a limit.",
  },
  "owasp:api4:2023-rate-limit": {
    given: ["$.paths[*][post,put,patch,delete].responses[?(@property.match(/^4/) && @property !== '401')]"],
    reason: "Reads have no rate limit. A request without a valid token (401) is not counted.",
  },
  "owasp:api4:2023-rate-limit-responses-429": {
    given: ["$.paths[*][post,put,patch,delete].responses"],
    reason: "Reads have no rate limit.",
  },
};

interface Exception {
  readonly rule: string;
  /** Matches the path of a finding, its parts joined by spaces. */
  readonly at: RegExp;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    rule: "oas3-schema",
    at: /^externalDocs url$/,
    reason: "OpenAPI 3.1 accepts a relative reference. Every installation serves its own overlay.",
  },
  {
    rule: "operation-description",
    at: placesOf((route) => isInternalTag(tagOf(route)!)),
    reason: "The descriptions of operations that no app uses are in the overlay.",
  },
  {
    rule: "oas3-unused-component",
    at: /^components schemas (NearbyParkingLot|ParkingLot)$/,
    reason: "Base types for clients. No route returns one as it is.",
  },
  {
    rule: "owasp:api1:2023-no-numeric-ids",
    at: /^paths \/v1\/admin\/exp-rules\/\{id\} /,
    reason: "Rules of experience points are settings that every administrator of the area can list.",
  },
  {
    rule: "owasp:api2:2023-read-restricted",
    at: placesOf(({ access }) => access === "public"),
    reason: "These operations return public data. tests/attacks holds who may read what.",
  },
  {
    rule: "owasp:api2:2023-write-restricted",
    at: placesOf(({ access }) => access === "public"),
    reason: "The stores sign their notifications. A crash can precede a sign-in; its reports are limited per address.",
  },
  {
    rule: "owasp:api8:2023-define-error-responses-401",
    at: placesOf(({ access }) => access === "public"),
    reason: "These operations need no token.",
  },
  {
    rule: "owasp:api4:2023-rate-limit-responses-429",
    at: placesOf(({ access }) => isMachine(access)),
    reason: "Jobs and monitoring systems with a secret of their own have no rate limit.",
  },
  {
    rule: "owasp:api8:2023-no-server-http",
    at: /^servers 1 url$/,
    reason: "The local platform listens on the loopback address only.",
  },
];

/** The paths of findings in the operations of these routes. */
function placesOf(isMeant: (route: Route) => boolean): RegExp {
  const places = groups.flatMap(({ routes }) => routes).filter(isMeant)
    .map(({ path, method }) => `/v1${path} ${method.toLowerCase()}`.replaceAll(/[{}./]/g, "\\$&"));
  return new RegExp(`^paths (${places.join("|")})( |$)`);
}

const narrowed = Object.entries(NARROWED).map(([name, { given }]) => {
  const rule = owasp.rules[name];
  if (typeof rule !== "object") throw new TypeError(`the OWASP rules have no ${name}`);
  return [name, { ...rule, given }];
});

export const ruleset = {
  extends: [[oas, "recommended"], [owasp, "all"]],
  rules: {
    ...Object.fromEntries(Object.keys(OFF).map((name) => [name, "off"])),
    ...Object.fromEntries(narrowed),
  },
} as RulesetDefinition;
