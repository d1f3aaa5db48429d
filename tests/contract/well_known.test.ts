// The vendors' link documents, as the environment has it.
import assert from "node:assert/strict";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { routes } from "../../supabase/functions/well-known/routes.ts";
import { assertError } from "../support/api_errors.ts";
import { fakeRest } from "./fake_rest.ts";

const NAMES = ["apple-app-site-association", "assetlinks.json"];
type Apps = ReturnType<typeof fakeRest>["config"]["apps"];

async function asking(apps: Apps, name: string): Promise<Response> {
  await using rest = fakeRest(() => Response.error());
  const app = createApp(routes, { config: () => ({ ...rest.config, apps }), log: () => {} });
  const response = await app.fetch(new Request(`http://localhost/well-known/${name}`));
  assert.equal(rest.calls.length, 0, "the database has no part in it");
  return response;
}

Deno.test("well known: without a configured app the document is 404, and the response is not cached", async () => {
  for (const name of NAMES) {
    await assertError(await asking({ appleAppIds: [], linkPaths: ["/lots/*"], android: null }, name), {
      code: "not_found",
    });
  }
});

Deno.test("well known: the documents have the shapes that the vendors prescribe, with every app and certificate", async () => {
  const apps: Apps = {
    appleAppIds: ["ABCDE12345.com.example.a", "ABCDE12345.com.example.b"],
    linkPaths: ["/lots/*", "/articles/*"],
    android: { packageName: "com.example.parking", certFingerprints: ["AA:BB", "CC:DD"] },
  };
  const [apple, android] = await Promise.all(NAMES.map(async (name) => {
    const response = await asking(apps, name);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/);
    return await response.json();
  }));
  assert.deepEqual(apple, {
    applinks: { details: [{ appIDs: apps.appleAppIds, components: [{ "/": "/lots/*" }, { "/": "/articles/*" }] }] },
    webcredentials: { apps: apps.appleAppIds },
  });
  assert.deepEqual(android, [{
    relation: ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
    target: {
      namespace: "android_app",
      package_name: "com.example.parking",
      sha256_cert_fingerprints: ["AA:BB", "CC:DD"],
    },
  }]);
});
