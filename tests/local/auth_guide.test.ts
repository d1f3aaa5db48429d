// docs/clients/authentication.md: its snippets run as they are, against a platform with the rules of a hosted project.
import assert from "node:assert/strict";
import { createClient, type SupabaseClientOptions } from "@supabase/supabase-js";
import { eventually } from "../support/eventually.ts";
import { type CrashPlatform, crashPlatform } from "../support/crash_platform.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/clients/authentication.md", import.meta.url));
const snippets = (kind: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map((match) => match[1]!);

/** What the snippets show, in their order. */
const SHOWN = (email: string, newEmail: string): unknown[][] => [
  ["signed up", null, null],
  ["confirmed", null, email],
  ["signed in", null, "active", ["user"]],
  ["signed in by code", null, null, email],
  ["refreshed", null, 3600],
  ["signed out", 204, null, 200],
  ["new password", null, null, null, email],
  ["change requested", null, email, newEmail],
  ["changed", newEmail],
  ["withdrawn", 204, "withdrawn", null, "invalid_credentials"],
];

Deno.test("docs/clients/authentication.md: what the page shows", async (test) => {
  await using platform = await crashPlatform({ authRules: "hosted" });
  await test.step("each flow goes as the page shows, in its order", () => flowsGo(platform));
  await test.step("the requests with curl return a session", () => curlsReturnSessions(platform));
  await test.step("a ban: no refresh, and endpoints until the access token expires", () => banEndsRefresh(platform));
});

async function flowsGo({ sql, status: { API_URL, PUBLISHABLE_KEY } }: CrashPlatform): Promise<void> {
  const [email, newEmail] = [`${crypto.randomUUID()}@example.com`, `${crypto.randomUUID()}@example.com`];
  const [password, newPassword] = ["password 1", "password 2"];
  const shown: unknown[][] = [];
  const read = new Set<string>();
  const given = {
    API_URL,
    PUBLISHABLE_KEY,
    email,
    password,
    newEmail,
    newPassword,
    pushToken: crypto.randomUUID(),
    createClient: (url: string, key: string, { auth }: SupabaseClientOptions<"public">) =>
      createClient(url, key, { auth: { ...auth, persistSession: false, autoRefreshToken: false } }),
    show: (...values: unknown[]) => shown.push(values),
    /** The code of the latest mail that was not read before. */
    readCode: (to: string) =>
      eventually(async () => {
        const address = `${API_URL}/_mail?to=${encodeURIComponent(to)}`;
        const response = await fetch(address, { headers: { accept: "application/json" } });
        const mails: { id: number; code?: string }[] = await response.json();
        const mail = mails.find(({ id, code }) => code !== undefined && !read.has(`${to} ${id}`));
        if (mail !== undefined) read.add(`${to} ${mail.id}`);
        return mail?.code;
      }),
    /** A minute passes: one mail of a kind is sent in each. */
    minutePasses: () =>
      sql`
        update auth.users set confirmation_sent_at = confirmation_sent_at - interval '1 minute',
          recovery_sent_at = recovery_sent_at - interval '1 minute'`,
  };
  const [client, ...flows] = snippets("js");
  const code = [client, ...flows.map((flow) => `{\n${flow}}\nawait minutePasses();\n`)].join("\n");
  await new Function(...Object.keys(given), `return (async () => {${code}})()`)(...Object.values(given));
  assert.deepEqual(shown, SHOWN(email, newEmail));
}

/** A user whose address is confirmed. */
async function aUser({ API_URL, PUBLISHABLE_KEY, SECRET_KEY }: CrashPlatform["status"]) {
  const [email, password] = [`${crypto.randomUUID()}@example.com`, "password1"];
  const auth = { persistSession: false, autoRefreshToken: false };
  const { admin } = createClient(API_URL, SECRET_KEY, { auth }).auth;
  const { data } = await admin.createUser({ email, password, email_confirm: true });
  const supabase = createClient(API_URL, PUBLISHABLE_KEY, { auth });
  const { data: { session } } = await supabase.auth.signInWithPassword({ email, password });
  return { email, password, id: data.user!.id, session: session!, supabase, admin };
}

async function curlsReturnSessions({ status }: CrashPlatform): Promise<void> {
  const { email, password, session: { refresh_token } } = await aUser(status);
  let REFRESH_TOKEN = refresh_token;
  for (const command of snippets("sh")) {
    const { API_URL, PUBLISHABLE_KEY } = status;
    const env = { API_URL, PUBLISHABLE_KEY, EMAIL: email, PASSWORD: password, REFRESH_TOKEN };
    const { stdout } = await new Deno.Command("sh", { args: ["-c", command], env }).output();
    const session = JSON.parse(new TextDecoder().decode(stdout));
    assert.deepEqual([session.expires_in, session.user.email], [3600, email]);
    REFRESH_TOKEN = session.refresh_token;
  }
}

async function banEndsRefresh({ status }: CrashPlatform): Promise<void> {
  const { id, session, supabase, admin } = await aUser(status);
  await admin.updateUserById(id, { ban_duration: "1h" });
  const refreshed = await supabase.auth.refreshSession(session);
  const me = await fetch(`${status.API_URL}/v1/me`, { headers: { authorization: `Bearer ${session.access_token}` } });
  await me.body?.cancel();
  assert.deepEqual([refreshed.error?.status, refreshed.error?.code, me.status], [400, "user_banned", 200]);
}
