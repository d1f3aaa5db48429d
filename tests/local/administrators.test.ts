// The second factor of administrators, on a platform that requires it: every entry point of the console, with a session that is
// aal1 and with one that is aal2; the way of an administrator without a factor; the reset by another one.
import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { codeAt } from "../../local/auth/totp.ts";
import { routes } from "../../supabase/functions/admin/routes.ts";
import { crashPlatform } from "../support/crash_platform.ts";

// Of its own: the rule is off on the platform that the tests share.
const platform = await crashPlatform({ authRules: "hosted" });
Deno.test.afterAll(async () => await platform[Symbol.asyncDispose]());
const { sql, status } = platform;

const REQUIRED = { reason: "mfa_required" };
const PASSWORD = "password 1";
const CONSOLE_TOPICS = ["live-user-activity", "admin-notifications-sidebar"];
const options = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } };
const service = createClient(status.API_URL, status.SECRET_KEY, options);

interface Administrator {
  readonly id: string;
  readonly email: string;
  readonly supabase: SupabaseClient;
}

async function anAdministrator(...areas: string[]): Promise<Administrator> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { data, error } = await service.auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    app_metadata: { admin: { name: "Administrator", areas } },
  });
  assert.equal(error, null);
  return { id: data.user!.id, email, supabase: await signedIn(email) };
}

async function signedIn(email: string): Promise<SupabaseClient> {
  const supabase = createClient(status.API_URL, status.PUBLISHABLE_KEY, options);
  assert.equal((await supabase.auth.signInWithPassword({ email, password: PASSWORD })).error, null);
  return supabase;
}

/** Enrolls a factor and enters its first code: the session is aal2. */
async function enroll({ auth }: SupabaseClient): Promise<void> {
  const { data: factor, error } = await auth.mfa.enroll({ factorType: "totp", friendlyName: "App" });
  assert.equal(error, null);
  const code = codeAt(factor!.totp.secret, Date.now());
  assert.equal((await auth.mfa.challengeAndVerify({ factorId: factor!.id, code })).error, null);
}

async function tokenOf({ auth }: SupabaseClient): Promise<string> {
  return (await auth.getSession()).data.session!.access_token;
}

async function ask(supabase: SupabaseClient, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${await tokenOf(supabase)}`, "content-type": "application/json" };
  const response = await fetch(`${status.FUNCTIONS_URL}${path}`, { ...init, headers });
  const body = await response.text();
  return { status: response.status, body: body === "" ? undefined : JSON.parse(body) };
}

/** Calls a function of the Data API with the secret key, in the name of an administrator. */
async function asService(name: string, args: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await fetch(`${status.REST_URL}/rpc/${name}`, {
    method: "POST",
    headers: { apikey: status.SECRET_KEY, "content-type": "application/json", ...headers },
    body: JSON.stringify(args),
  });
  const body = await response.json();
  return { status: response.status, details: body.details ? JSON.parse(body.details).details : undefined };
}

async function joined(supabase: SupabaseClient, topic: string): Promise<boolean> {
  await supabase.realtime.setAuth();
  const { promise, resolve } = Promise.withResolvers<string>();
  const channel = supabase.channel(topic, { config: { private: true } }).subscribe((state) => resolve(state));
  const state = await promise;
  await supabase.removeChannel(channel);
  return state === "SUBSCRIBED";
}

Deno.test("second factor: no route of the console serves a session that is aal1, and the error has the reason", async () => {
  const { supabase } = await anAdministrator(
    ...(await sql`select unnest(private.admin_areas()) as area`).map(({ area }) => String(area)),
  );
  const wrong: string[] = [];
  for (const route of routes) {
    const path = route.path.replaceAll(/\{[^}]+\}/g, () => crypto.randomUUID());
    const body = route.method === "GET" || route.body === undefined ? {} : { body: "{}" };
    const { status, body: answer } = await ask(supabase, path, { method: route.method, ...body });
    if (status !== 403 || answer?.error.details?.reason !== "mfa_required") {
      wrong.push(`${route.method} ${route.path}: ${status} ${JSON.stringify(answer).slice(0, 100)}`);
    }
  }
  assert.ok(routes.length > 100);
  assert.deepEqual(wrong, []);
});

Deno.test("second factor: an administrator enrolls with a session that is aal1; from then on every sign-in needs a code", async () => {
  const { id, email, supabase } = await anAdministrator("admins");
  // The account itself can be read, so that the console can show what to do.
  assert.equal((await ask(supabase, "/me")).body.permission_scopes.includes("admin"), true);
  await enroll(supabase);
  const { status: found, body } = await ask(supabase, `/admin/admins/${id}`);
  assert.deepEqual([found, body.has_second_factor], [200, true]);

  const again = await signedIn(email);
  assert.deepEqual((await ask(again, `/admin/admins/${id}`)).body.error.details, REQUIRED);
});

Deno.test("second factor: the Data API requests from the service the assurance of the administrator's token", async () => {
  const { id } = await anAdministrator("admins");
  const read = { p_admin_id: id, p_id: id };
  const command = { p_admin_id: id, p_command: "admin_get_admin", p_arguments: { p_id: id } };
  for (const headers of [{}, { "x-admin-aal": "aal1" }, { "x-admin-aal": "" }, { "x-admin-aal": "aal3" }]) {
    assert.deepEqual(await asService("admin_get_admin", read, headers as Record<string, string>), {
      status: 403,
      details: REQUIRED,
    });
    const ran = await asService("run_admin_command", command, headers as Record<string, string>);
    assert.deepEqual([ran.status, ran.details], [403, REQUIRED]);
  }
  assert.equal((await asService("admin_get_admin", read, { "x-admin-aal": "aal2" })).status, 200);
  assert.equal((await asService("run_admin_command", command, { "x-admin-aal": "aal2" })).status, 200);
});

Deno.test("second factor: a user's token cannot claim it in a header, neither at the routes nor at the Data API", async () => {
  const { supabase } = await anAdministrator("lots", "content");
  const headers = { authorization: `Bearer ${await tokenOf(supabase)}`, "x-admin-aal": "aal2" };
  const route = await fetch(`${status.FUNCTIONS_URL}/admin/overview`, { headers });
  assert.deepEqual((await route.json()).error.details, REQUIRED);
  const upload = { p_category: "parking_lot", p_mime_type: "image/png", p_file_size: 100 };
  const command = await fetch(`${status.REST_URL}/rpc/run_command`, {
    method: "POST",
    headers: { ...headers, apikey: status.PUBLISHABLE_KEY, "content-type": "application/json" },
    body: JSON.stringify({ p_command: "create_upload", p_arguments: upload }),
  });
  const { message, details } = await command.json();
  assert.deepEqual([command.status, JSON.parse(details)?.details], [403, REQUIRED], message);
});

Deno.test("second factor: the console's live channels and rows are open to aal2 only", async () => {
  const { id, supabase } = await anAdministrator("users", "admins", "store_sync");
  await sql`insert into public.admin_notifications (title) values ('Title')`;
  const seen = async () => {
    const claims = JSON.parse(atob((await tokenOf(supabase)).split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
    return await sql.begin(async (transaction) => {
      await transaction`
        select set_config('role', 'authenticated', true),
          set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
      const [row] = await transaction`
        select exists (select from public.admin_notifications) as notifications,
          (select count(*)::integer from public.admins where id = ${id}) as own`;
      return row;
    });
  };
  const topics = async () => await Promise.all(CONSOLE_TOPICS.map((topic) => joined(supabase, topic)));
  assert.deepEqual([await topics(), { ...await seen() }], [[false, false], { notifications: false, own: 1 }]);
  await enroll(supabase);
  assert.deepEqual([await topics(), { ...await seen() }], [[true, true], { notifications: true, own: 1 }]);
  await supabase.realtime.disconnect();
});

Deno.test("second factor: another administrator resets it, on the record; no administrator resets their own", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots")];
  await enroll(chief.supabase);
  await enroll(other.supabase);
  const reset = async (by: Administrator, id: string) =>
    await ask(by.supabase, `/admin/admins/${id}/reset-second-factor`, {
      method: "POST",
      body: JSON.stringify({ reason: "Lost the telephone" }),
    });
  assert.deepEqual((await reset(chief, chief.id)).body.error.details, { reason: "own_account" });
  assert.deepEqual((await reset(other, chief.id)).body.error.details, { scope: "admin:admins" });
  assert.equal((await reset(chief, crypto.randomUUID())).status, 404);

  const { status: done, body } = await reset(chief, other.id);
  assert.deepEqual([done, body.has_second_factor], [200, false]);
  assert.notEqual((await other.supabase.auth.refreshSession()).error, null, "the sessions have ended");
  const acts = await sql`
    select admin_id, action, changes from public.admin_activity_logs where target_id = ${other.id}`;
  assert.deepEqual([...acts], [
    { admin_id: chief.id, action: "admin.reset_second_factor", changes: { reason: "Lost the telephone" } },
  ]);
  const again = await signedIn(other.email);
  await enroll(again);
  assert.equal((await ask(again, "/admin/overview")).status, 200);
});

Deno.test("docs/operations/deploy.md: the operator's statements remove a factor of one administrator, who enrolls again", async () => {
  const [lost, other] = [await anAdministrator("admins"), await anAdministrator("admins")];
  for (const { supabase } of [lost, other]) await enroll(supabase);
  const page = await Deno.readTextFile(new URL("../../docs/operations/deploy.md", import.meta.url));
  const block = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].find(([, text]) =>
    text!.includes("auth.mfa_factors")
  )!;
  await sql.unsafe(block[1]!.replaceAll("ops@example.com", lost.email));
  assert.notEqual((await lost.supabase.auth.refreshSession()).error, null);
  assert.equal((await other.supabase.auth.refreshSession()).error, null);
  assert.equal((await ask(other.supabase, "/admin/overview")).status, 200);
  const again = await signedIn(lost.email);
  assert.deepEqual((await ask(again, "/admin/overview")).body.error.details, REQUIRED);
  await enroll(again);
  assert.equal((await ask(again, "/admin/overview")).status, 200);
});

Deno.test("second factor: it is required without a setting; the operator's own SQL needs none", async () => {
  const { id } = await anAdministrator("admins");
  const required = async () =>
    (await asService("admin_get_admin", { p_admin_id: id, p_id: id })).details?.reason === "mfa_required";
  const set = async (value: boolean | null) => {
    await sql`delete from private.console_settings`;
    if (value !== null) await sql`insert into private.console_settings (requires_second_factor) values (${value})`;
  };
  const outcomes: boolean[] = [];
  for (const value of [null, false, true]) {
    await set(value);
    outcomes.push(await required());
  }
  assert.deepEqual(outcomes, [true, false, true]);
  await sql`select private.check_admin(${id}, 'admins')`;
});
