// The sample people of `task dev`: who they are and what they find. They belong to the local platform alone.
import { strict as assert } from "node:assert";
import { SAMPLE_PASSWORD, SAMPLE_PEOPLE, type SampleEmail } from "../../tools/seed/people/sample_people.ts";
import type { Status } from "../../local/settings.ts";
import { crashPlatform } from "../support/crash_platform.ts";
import { stack } from "../support/stack.ts";

type Json = Record<string, unknown>;
/** GET {base_url}/v1{path}, which has to respond with 200. */
type Read = (path: string) => Promise<Json>;

async function signIn({ apiUrl, publishableKey }: { apiUrl: string; publishableKey: string }, email: string) {
  const response = await fetch(`${apiUrl}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: publishableKey, "content-type": "application/json" },
    body: JSON.stringify({ email, password: SAMPLE_PASSWORD }),
  });
  return { status: response.status, body: await response.json() as Json };
}

async function readerFor({ API_URL: apiUrl, PUBLISHABLE_KEY: publishableKey }: Status, email: string): Promise<Read> {
  const { status, body } = await signIn({ apiUrl, publishableKey }, email);
  assert.equal(status, 200, `${email}: ${JSON.stringify(body)}`);
  return async (path) => {
    const response = await fetch(`${apiUrl}/v1${path}`, {
      headers: { authorization: `Bearer ${body["access_token"]}` },
    });
    const reply = await response.json();
    assert.equal(response.status, 200, `${email} ${path}: ${JSON.stringify(reply)}`);
    return reply;
  };
}

async function itemsOf(read: Read, path: string): Promise<Json[]> {
  return (await read(path))["items"] as Json[];
}

/** The different values of a field, in alphabetical order. */
function valuesOf(items: readonly Json[], field: string): unknown[] {
  return [...new Set(items.map((item) => item[field]))].sort();
}

Deno.test("sample people: each signs in with the printed password and finds what the console and the app show", async (t) => {
  await using platform = await crashPlatform({ withPeople: true });
  const readers = new Map<SampleEmail, Read>();
  for (const { email } of SAMPLE_PEOPLE) readers.set(email, await readerFor(platform.status, email));
  const hanako = readers.get("hanako@example.com")!;
  const james = readers.get("james@example.com")!;
  const admin = readers.get("admin@example.com")!;

  await t.step("the overview counts them and their sessions", async () => {
    const { people, sessions_by_day } = await admin("/admin/overview") as unknown as {
      people: { all: number };
      sessions_by_day: { days: { started: number }[] };
    };
    assert.equal(people.all, SAMPLE_PEOPLE.filter((person) => !("areas" in person)).length);
    assert.ok(sessions_by_day.days.filter(({ started }) => started > 0).length > 5, JSON.stringify(sessions_by_day));
  });

  await t.step("their permission scopes are as the start describes them", async () => {
    const scopes: Json = {};
    for (const [email, read] of readers) scopes[email] = ((await read("/me"))["permission_scopes"] as string[]).sort();
    const [row] = await platform.sql<{ areas: string[] }[]>`select private.admin_areas() as areas`;
    assert.deepEqual(scopes, {
      "hanako@example.com": ["user"],
      "james@example.com": ["premium", "user"],
      "yuki@example.com": ["user"],
      "taro@example.com": ["user"],
      "emma@example.com": [],
      "admin@example.com": ["admin", ...row!.areas.map((area) => `admin:${area}`).sort()],
      "support@example.com": ["admin", "admin:reviews", "admin:support"],
    });
  });

  await t.step("an app user has a session that runs, and ended ones with fees on past days", async () => {
    const current = await hanako("/me/parking-sessions/current");
    const minutes = (Date.now() - Date.parse(String(current["started_at"]))) / 60_000;
    assert.ok(minutes > 49 && minutes < 90, `${minutes}`);
    const sessions = await itemsOf(hanako, "/me/parking-sessions?limit=50");
    assert.deepEqual(valuesOf(sessions, "status"), ["cancelled", "ended", "parking"]);
    const ended = sessions.filter(({ status }) => status === "ended");
    assert.ok(ended.length > 8 && ended.every(({ total_amount_minor: fee }) => Number(fee) > 0));
    assert.ok(valuesOf(ended, "started_at").every((at) => Date.parse(String(at)) < Date.now() - 2 * 86_400_000));
  });

  await t.step(
    "an app user has vehicles, presets, saved lots, reviews, reports, tickets and read and unread mail",
    async () => {
      for (const path of ["vehicles", "search-presets", "saved-parking-lots", "badges", "theme-gifts", "exp/history"]) {
        assert.ok((await itemsOf(hanako, `/me/${path}`)).length > 0, path);
      }
      assert.deepEqual(valuesOf(await itemsOf(hanako, "/me/reviews"), "status"), ["approved", "pending", "rejected"]);
      assert.ok((await itemsOf(hanako, "/me/error-reports")).length > 1);
      const [ticket] = await itemsOf(hanako, "/support/tickets");
      assert.equal(((await hanako(`/support/tickets/${ticket!["id"]}`))["messages"] as Json[]).length, 4);
      const inbox = await itemsOf(hanako, "/me/notifications?limit=50");
      assert.ok(inbox.some(({ read_at }) => read_at === null) && inbox.some(({ read_at }) => read_at !== null));
      assert.ok(valuesOf(inbox, "type").length > 3);
    },
  );

  await t.step("an account of a store is premium, and its sum of points is that of its entries", async () => {
    assert.equal((await james("/me/subscription"))["status"], "active");
    for (const read of [hanako, james]) {
      const entries = await itemsOf(read, "/me/exp/history?limit=100");
      const sum = entries.reduce((total, { amount }) => total + Number(amount), 0);
      assert.equal((await read("/me/exp"))["total_exp"], sum);
      assert.ok(sum > 0);
    }
  });

  await t.step("an administrator has queues in several states, activity, and runs of the store sync", async () => {
    for (const status of ["open", "in_review", "resolved", "rejected"]) {
      assert.ok((await itemsOf(admin, `/admin/error-reports?status=${status}`)).length > 0, status);
    }
    for (const status of ["pending", "approved", "rejected", "hidden"]) {
      assert.ok((await itemsOf(admin, `/admin/reviews?status=${status}`)).length > 0, status);
    }
    for (const status of ["open", "answered", "closed"]) {
      assert.ok((await itemsOf(admin, `/admin/support-tickets?status=${status}`)).length > 0, status);
    }
    assert.ok(valuesOf(await itemsOf(admin, "/admin/activity-logs?limit=100"), "action").length > 8);
    assert.deepEqual(valuesOf(await itemsOf(admin, "/admin/field-values?limit=50"), "state"), [
      "confirmed",
      "disputed",
      "unverified",
    ]);
    for (const path of ["notifications", "store-sync/runs", "user-notifications", "subscriptions"]) {
      assert.ok((await itemsOf(admin, `/admin/${path}`)).length > 0, path);
    }
  });

  await t.step(
    "no activity is in the future, and no helper of the history is left",
    async () => {
      const [row] = await platform.sql<{ future: number; left: number }[]>`
      select (select count(*)::integer from public.user_activity_logs where created_at > now()) as future,
        (select count(*)::integer from pg_trigger where tgname = '_000_set_moment') as left`;
      assert.deepEqual({ ...row }, { future: 0, left: 0 });
    },
  );
});

Deno.test("sample people: a test platform has none unless a test requests them", async () => {
  for (const { email } of SAMPLE_PEOPLE) {
    const { status, body } = await signIn(stack(), email);
    assert.deepEqual([status, body["error_code"]], [400, "invalid_credentials"], email);
  }
});
