// Readiness: whether the migrations of the database are those of the release.
import { strict as assert } from "node:assert";
import { compareMigrations } from "../../supabase/functions/health/migrations.ts";
import { routes } from "../../supabase/functions/health/routes.ts";
import ofRelease from "../../supabase/functions/health/migrations.json" with { type: "json" };
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { fakeRest } from "./fake_rest.ts";

const RELEASE = { "1_a": "x", "3_c": "y" };

Deno.test("health: migrations that are missing, changed, unknown and newer are named", () => {
  const none = { missing: [], changed: [], unknown: [], newer: [] };
  assert.deepEqual(compareMigrations(RELEASE, RELEASE), none);
  assert.deepEqual(compareMigrations({}, RELEASE), { ...none, missing: ["1_a", "3_c"] });
  assert.deepEqual(compareMigrations({ ...RELEASE, "1_a": "z" }, RELEASE), { ...none, changed: ["1_a"] });
  assert.deepEqual(compareMigrations({ ...RELEASE, "2_b": "z" }, RELEASE), { ...none, unknown: ["2_b"] });
  assert.deepEqual(compareMigrations({ ...RELEASE, "4_d": "z" }, RELEASE), { ...none, newer: ["4_d"] });
});

Deno.test("health: ready with the migrations of the release and newer ones, and 503 with the names of the others", async () => {
  const answerWith = async (migrations: Record<string, string>) => {
    await using rest = fakeRest(() => Response.json({ database: "ok", migration: "1", migrations }));
    const { fetch } = createApp(routes, { config: () => rest.config, log: () => {} });
    const response = await fetch(new Request("http://localhost/health/ready"));
    return { status: response.status, body: await response.json() };
  };
  const [first, second] = Object.keys(ofRelease);
  const { status, body } = await answerWith({ ...ofRelease, "20990101000000_later": "x" });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.newer_migrations, ["20990101000000_later"]);
  const { [first as keyof typeof ofRelease]: _, ...others } = ofRelease;
  const refused = await answerWith({ ...others, [second!]: "edited", "20260901000101_other": "x" });
  assert.equal(refused.status, 503);
  assert.equal(refused.body.error.code, "service_unavailable");
  assert.deepEqual(refused.body.error.details, {
    reason: "schema_differs",
    missing: [first],
    changed: [second],
    unknown: ["20260901000101_other"],
  });
});
