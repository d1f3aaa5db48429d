// Access to each route of administrators, actor by actor; and the proof that this suite would detect
// an area that is dropped. The routes are those of the function `admin`: a new one is tested without a change here.
import assert from "node:assert/strict";
import type { Route } from "../../supabase/functions/_shared/http/route.ts";
import { routes } from "../../supabase/functions/admin/routes.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { arealess, classes, seedAreas } from "./admin_areas.ts";
import { type Cell, createActors, differences, FORMS } from "./admin_actors.ts";

// Of its own: requests that are let in may change anything.
const platform = await crashPlatform();
Deno.test.afterAll(async () => await platform[Symbol.asyncDispose]());
const { sql, status } = platform;
const actors = await createActors(sql, status);

/** The functions of the database that a route calls, each of which checks the administrator. */
function functionsOf(route: Route): string[] {
  return route.calls.filter((name) => name.startsWith("admin_"));
}

Deno.test("admin routes: every actor gets the right status of every route, and a missing area is named", async () => {
  const cells = routes.flatMap((route) => actors.map((actor): Cell => ({ route, actor, form: "good" })));
  assert.deepEqual(await differences(status.FUNCTIONS_URL, cells), []);
});

Deno.test("admin routes: a caller without access gets the same error for a request of any form", async () => {
  const outsiders = actors.filter(({ areas }) => areas === null || areas.length === 0);
  const cells = routes.flatMap((route) =>
    outsiders.filter(({ areas }) => areas === null || route.area !== null).flatMap((actor) =>
      FORMS.filter((form) => {
        if (form === "whole") return route.body !== undefined;
        return form === "malformed" || (form === "keyed" && route.method === "POST");
      })
        .map((form): Cell => ({ route, actor, form }))
    )
  );
  assert.deepEqual(await differences(status.FUNCTIONS_URL, cells), []);
});

Deno.test("admin routes: no check can be dropped from a function without a difference in the matrix", async () => {
  const stranger = actors.find(({ name }) => name === "an app user")!;
  const withoutAreas = actors.find(({ name }) => name === "an administrator without areas")!;
  const definitions = await sql<{ name: string; text: string }[]>`
    select proname as name, pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'api'::regnamespace and proname like 'admin\\_%'`;
  const check = /perform private\.(lock|check)_admin\(p_admin_id, (null|'[a-z_]+')\);/;
  for (const route of routes) {
    const names = functionsOf(route);
    if (names.length === 0) continue;
    const texts = names.map((name) =>
      definitions.find((each) => each.name === name)?.text ?? assert.fail(`${name} does not exist`)
    );
    for (const text of texts) {
      const [, kind, area] = check.exec(text) ?? assert.fail(`${route.path} calls a function that checks nothing`);
      await sql.unsafe(text.replace(check, area === "null" ? "" : `perform private.${kind}_admin(p_admin_id, null);`));
    }
    const actor = route.area === null ? stranger : withoutAreas;
    const found = await differences(status.FUNCTIONS_URL, [{ route, actor, form: "good" }]);
    for (const text of texts) await sql.unsafe(text);
    assert.equal(found.length, 1, `${route.method} ${route.path} without the checks of ${names}`);
  }
});

Deno.test("admin routes: no area can be dropped from a route, nor replaced, without a difference in the matrix", async () => {
  const withoutAreas = actors.find(({ name }) => name === "an administrator without areas")!;
  for (const route of routes.filter(({ area }) => area !== null)) {
    const other = route.area === "lots" ? "reviews" : "lots";
    for (const area of [null, other] as const) {
      const cell: Cell = { route: { ...route, area }, actor: withoutAreas, form: "good" };
      const found = await differences(status.FUNCTIONS_URL, [cell]);
      assert.equal(found.length, 1, `${route.method} ${route.path} with the area ${area}`);
    }
  }
});

Deno.test("admin routes: every route belongs to the area of its resource, and a new resource must be classified", () => {
  const wrong = routes.flatMap(({ method, path, area }) => {
    const name = `${method} ${path}`;
    if (name in arealess) return area === null ? [] : [`${name} has the area ${area}`];
    const resource = path.split("/")[2]!;
    const wanted = classes[resource];
    return area !== null && area === wanted ? [] : [`${name} has the area ${area}, its resource ${wanted}`];
  });
  assert.deepEqual(wrong, []);
  const resources = new Set(routes.map(({ path }) => path.split("/")[2]!));
  assert.deepEqual(Object.keys(classes).filter((resource) => !resources.has(resource)), []);
  const names = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  assert.deepEqual(Object.keys(arealess).filter((name) => !names.has(name)), []);
});

Deno.test("admin routes: every job and queue that has an area exists", async () => {
  const [row] = await sql<{ texts: string; known: string[] }[]>`
    select pg_get_functiondef('private.area_of_job'::regproc) || pg_get_functiondef('private.area_of_queue'::regproc) as texts,
      private.admin_areas() || array(select jobname::text from cron.job) || array(select m.queue_name::text from pgmq.meta m) as known`;
  const named = [...row!.texts.matchAll(/'([a-z_-]+)'/g)].map((match) => match[1]!);
  assert.ok(named.length > 20, String(named));
  assert.deepEqual(named.filter((name) => !row!.known.includes(name)), []);
});

Deno.test("admin routes: a reply without an area of its own shows to an administrator of each area that area alone", async () => {
  const known = await seedAreas(sql);
  for (const [name, { init, read, areas = known }] of Object.entries(arealess)) {
    for (const actor of actors) {
      if (actor.areas === null) continue;
      const response = await fetch(`${status.FUNCTIONS_URL}${name.split(" ")[1]}`, {
        ...init,
        method: name.split(" ")[0]!,
        headers: { ...init?.headers, authorization: actor.authorization! },
      });
      const body = await response.json();
      assert.equal(response.status, 200, `${actor.name}: ${name}: ${JSON.stringify(body)}`);
      const seen = [...new Set(read(body))].sort();
      assert.deepEqual(seen, areas.filter((area) => actor.areas!.includes(area)).sort(), `${actor.name}: ${name}`);
    }
  }
});

Deno.test("private.area_of_act: an act is read with the area that its function requires", async () => {
  const functions = await sql<{ name: string; text: string }[]>`
    select proname as name, pg_get_functiondef(oid) as text from pg_proc
    where pronamespace in ('api'::regnamespace, 'private'::regnamespace)`;
  const codes = new Set((await sql<{ code: string }[]>`
    select distinct code from public.codes where category_id = 'admin_action'`).map(({ code }) => code));
  const actsOf = (text: string) =>
    [...text.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, act]) => act!).filter((act) => codes.has(act));
  const area = async (act: string) =>
    (await sql<{ area: string }[]>`select private.area_of_act(${act}) as area`)[0]!.area;
  let checked = 0;
  for (const { name, text } of functions) {
    const required = /(?:lock|check)_admin\(p_admin_id, '([a-z_]+)'\)/.exec(text)?.[1];
    if (required === undefined) continue;
    for (const act of actsOf(text)) {
      assert.equal(await area(act), required, `${name} records ${act}`);
      checked++;
    }
  }
  assert.ok(checked > 40, `${checked} acts`);
});
