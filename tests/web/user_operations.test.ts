// apps/web/: every operation of the contract for users has a screen that calls it, or a reason why it has none.
import assert from "node:assert/strict";
import contract from "../../contract/openapi.json" with { type: "json" };
import { files } from "../../apps/web/build.ts";

/** Operations that no screen of a driver calls, each with its reason. */
const WITHOUT_SCREEN: Readonly<Record<string, string>> = {
  "DELETE /v1/me/push-tokens/{id}": "a browser has no push token of the app",
  "PUT /v1/me/push-tokens": "a browser has no push token of the app",
  "POST /v1/me/subscription/refresh-iap": "only a store's app has the receipt",
  "POST /v1/me/subscription/verify-iap": "only a store's app has the receipt",
  "POST /v1/verify-iap": "only a store's app has the receipt",
  "GET /v1/ads": "the explorer shows no advertisement",
  "GET /v1/parking-lots/{id}/occupancy": "the lot itself has it",
  "GET /v1/parking-lots/{id}/pricing-rules": "the lot itself has them",
  "GET /v1/parking-lots/{id}/rating": "the lot itself has it",
  "POST /v1/ai-search-parse": "POST /v1/search/ai returns the same reading with the results",
  "GET /v1/parking-lots/export": "other systems read it",
  "GET /v1/places/{id}": "a suggestion has all that the search needs",
  "POST /v1/report-crash": "for the apps; a page's errors stay in its console",
};

/** Tags of the operations that are for machines, for documentation or for the platform. */
const MACHINES =
  /^\/v1\/(admin|storage\/sweep|push-dispatch|mail-dispatch|store-notifications|store-sync|openapi|health|well-known|parking-lots\/occupancy-reports)(\/|$)/;

/** What helpers of the client call. */
const BY_HELPERS: Readonly<Record<string, readonly string[]>> = {
  "client.upload(": ["POST /v1/storage/upload-url"],
  "client.live.sessions": ["GET /v1/me/parking-sessions/current"],
  "client.live.inbox": ["GET /v1/me/notifications"],
  "client.live.badges": ["GET /v1/me/badges"],
};

const METHODS = ["get", "post", "put", "patch", "delete"];

function operations(): string[] {
  return Object.entries(contract.paths).filter(([path]) => !MACHINES.test(path)).flatMap(([path, item]) =>
    Object.keys(item).filter((method) => METHODS.includes(method)).map((method) => `${method.toUpperCase()} ${path}`)
  );
}

/** The operations that the code of the driver's screens names. */
async function called(): Promise<Set<string>> {
  const found = new Set<string>();
  const paths = (await files(new URL("../../apps/web/src", import.meta.url).pathname))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("/console/"));
  for (const path of paths) {
    const code = await Deno.readTextFile(path);
    for (
      const [, method, operation] of code.matchAll(/\.(GET|POST|PUT|PATCH|DELETE|pages|stream)\(\s*"(\/v1\/[^"]+)"/g)
    ) {
      found.add(`${/^[A-Z]+$/.test(method!) ? method : "GET"} ${operation}`);
    }
    for (const [helper, of] of Object.entries(BY_HELPERS)) {
      if (code.includes(helper)) of.forEach((one) => found.add(one));
    }
  }
  return found;
}

Deno.test("explorer: each operation for users has a screen or a written reason", async () => {
  const known = await called();
  const missing = operations().filter((operation) => !known.has(operation) && !(operation in WITHOUT_SCREEN));
  assert.deepEqual(missing, []);
});

Deno.test("explorer: a reason is there only for an operation that exists and that no screen calls", async () => {
  const known = await called();
  const all = operations();
  for (const operation of Object.keys(WITHOUT_SCREEN)) {
    assert.ok(all.includes(operation), `${operation} is not in the contract`);
    assert.ok(!known.has(operation), `${operation} has a screen`);
  }
});
