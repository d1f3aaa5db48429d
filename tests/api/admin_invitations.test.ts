// Invitations of administrators: one account, one mail and one act, after any failure and any number of retries.
import assert from "node:assert/strict";
import { Administrator } from "../../supabase/functions/admin/admins.schema.ts";
import { inviteAdministrator } from "../../supabase/functions/admin/admins.ts";
import { verifyAddress } from "../support/mail_links.ts";
import { stack } from "../support/stack.ts";
import { type Administrator as Person, anAdministrator, sending } from "./administrators.ts";
import { bearer, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PATH = "/admin/admins";

interface Mail {
  readonly link: string;
}

/** Mails are read where the platform keeps them; other stacks send theirs. */
const hasMailbox = await fetch(`${stack().apiUrl}/_mail`, { headers: { accept: "application/json" } })
  .then(async (response) => (await response.text(), response.ok), () => false);

async function mailsTo(address: string): Promise<Mail[]> {
  const response = await fetch(`${stack().apiUrl}/_mail?to=${encodeURIComponent(address)}`, {
    headers: { accept: "application/json" },
  });
  return await response.json();
}

const newAddress = () => `${crypto.randomUUID()}@example.com`;

function invite(by: Person, body: unknown, key?: string): Promise<Response> {
  return by.ask(PATH, sending("POST", body, key === undefined ? {} : { "Idempotency-Key": key }));
}

function withServiceKey(path: string, body: unknown): Promise<Response> {
  return fetch(`${stack().apiUrl}${path}`, {
    method: "POST",
    headers: { apikey: stack().secretKey, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const rpc = (name: string, args: unknown) => withServiceKey(`/rest/v1/rpc/${name}`, args);

async function reasonOf(response: Response): Promise<[status: number, reason: unknown]> {
  const body = await response.json();
  const details = body.error?.details ?? JSON.parse(body.details ?? "{}").details;
  return [response.status, details?.reason];
}

interface Kept {
  readonly users: number;
  readonly admins: number;
  readonly acts: number;
}

/** What there is of an address. */
async function kept(email: string): Promise<Kept> {
  const [row] = await inDatabase((sql) =>
    sql<Kept[]>`
      select count(*)::integer as users, count(a.id)::integer as admins,
        (
          select count(*)::integer from public.admin_activity_logs l
          where l.action = 'admin.invite' and l.target_id in (select id::text from auth.users where email = ${email})
        ) as acts
      from auth.users u left join public.admins a on a.id = u.id where u.email = ${email}`
  );
  return { ...row! };
}

/** A prepared invitation, as the back office makes one. */
async function prepared(by: Person, email: string): Promise<string> {
  const response = await rpc("admin_invite_admin", { p_admin_id: by.id, p_email: email, p_areas: ["lots"] });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()).invitation_id;
}

Deno.test("admin invitations: the invited administrator exists with their areas, and the act is recorded", async () => {
  const chief = await anAdministrator("admins");
  const email = newAddress();
  const body = { email: email.toUpperCase(), name: "New", areas: ["support", "lots", "lots"] };
  const made = await replyOf(inviteAdministrator, await invite(chief, body), Administrator);
  assert.deepEqual([made.email, made.name, made.areas, made.status], [email, "New", ["lots", "support"], "active"]);
  assert.ok(made.invited_at);
  const [row] = await inDatabase((sql) =>
    sql`
      select u.raw_app_meta_data -> 'admin' as admin, u.raw_user_meta_data ? 'invitation' as told,
        exists (select from public.app_users where id = u.id) as drives
      from auth.users u where u.id = ${made.id}`
  );
  const fields = { name: "New", areas: ["lots", "support"], status: "active" };
  assert.deepEqual({ ...row }, { admin: fields, told: false, drives: false });
  const logs = await (await chief.ask(`/admin/activity-logs?action=admin.invite&target_id=${made.id}`)).json();
  assert.equal(logs.items.length, 1);
  const { admin_id, user_id, changes, request_id } = logs.items[0];
  assert.deepEqual([admin_id, user_id], [chief.id, made.id]);
  assert.deepEqual(changes, Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, { old: null, new: v }])));
  assert.ok(request_id);
  assert.deepEqual(await reasonOf(await invite(chief, body)), [409, "email_exists"]);
});

Deno.test({
  name: "admin invitations: the link of the mail opens the account",
  ignore: !hasMailbox,
  fn: async () => {
    const chief = await anAdministrator("admins");
    const email = newAddress();
    assert.equal((await invite(chief, { email, areas: ["lots"] })).status, 201);
    const [mail, ...others] = await mailsTo(email);
    assert.equal(others.length, 0);
    const followed = await fetch(verifyAddress(stack().apiUrl, mail!.link), { redirect: "manual" });
    const token = new URLSearchParams(new URL(followed.headers.get("location")!).hash.slice(1)).get("access_token")!;
    const response = await fetch(`${stack().functionsUrl}/admin/notifications`, { headers: bearer(token) });
    assert.equal(response.status, 200, await response.text());
  },
});

Deno.test("admin invitations: with a key the same request gets the same administrator, one mail and one act", async () => {
  const chief = await anAdministrator("admins");
  const email = newAddress();
  const [body, key] = [{ email, areas: ["lots"] }, crypto.randomUUID()];
  const first = await invite(chief, body, key);
  const second = await invite(chief, body, key);
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  assert.equal((await first.json()).id, (await second.json()).id);
  assert.deepEqual(await kept(email), { users: 1, admins: 1, acts: 1 });
  if (hasMailbox) assert.equal((await mailsTo(email)).length, 1);
});

Deno.test("admin invitations: of many concurrent requests for one address one sends a mail, with a key and without", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("admins")];
  for (const key of [undefined, crypto.randomUUID()]) {
    const email = newAddress();
    const senders = key === undefined ? [chief, other, chief, other, chief] : [chief, chief, chief, chief, chief];
    const responses = await Promise.all(senders.map((by) => invite(by, { email, areas: ["lots"] }, key)));
    const outcomes = await Promise.all(responses.map(reasonOf));
    const allowed = ["email_exists", "being_invited", "invitation_replaced", "key_in_use"];
    assert.ok(outcomes.some(([status]) => status === 201), JSON.stringify(outcomes));
    for (const [status, reason] of outcomes) {
      assert.ok(status === 201 || status === 409 && allowed.includes(String(reason)), `${status} ${reason}`);
    }
    if (key === undefined) assert.equal(outcomes.filter(([status]) => status === 201).length, 1);
    assert.deepEqual(await kept(email), { users: 1, admins: 1, acts: 1 });
    if (hasMailbox) assert.equal((await mailsTo(email)).length, 1);
  }
});

Deno.test("admin invitations: an aborted invitation leaves nothing half done, and the next one completes it", async () => {
  const chief = await anAdministrator("admins");
  const email = newAddress();
  const id = await prepared(chief, email);
  const invitation = { p_admin_id: chief.id, p_id: id };
  // Stopped after it was written: no administrator exists yet, and it may be written again.
  assert.deepEqual(await kept(email), { users: 0, admins: 0, acts: 0 });
  const claimed = await rpc("admin_claim_invitation", invitation);
  assert.deepEqual(await claimed.json(), { email, is_sent: false });
  // Stopped after it was claimed: no other request sends it for a while.
  assert.deepEqual(await reasonOf(await rpc("admin_claim_invitation", invitation)), [409, "being_invited"]);
  assert.deepEqual(await reasonOf(await invite(chief, { email, areas: [] })), [409, "being_invited"]);
  const sent = await withServiceKey("/auth/v1/invite", { email, data: { invitation: id } });
  assert.equal(sent.status, 200, await sent.text());
  // Stopped after it was sent: the act is on record, and the repeated request finds the administrator.
  assert.deepEqual(await kept(email), { users: 1, admins: 1, acts: 1 });
  assert.deepEqual(await (await rpc("admin_claim_invitation", invitation)).json(), { email, is_sent: true });
  assert.equal((await (await rpc("admin_get_invited_admin", invitation)).json()).email, email);
});

Deno.test("admin invitations: an invitation id creates an administrator for its own address only, while it is claimed", async () => {
  const chief = await anAdministrator("admins");
  const signUp = async (email: string, invitation: unknown) => {
    const response = await fetch(`${stack().apiUrl}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: stack().publishableKey, "content-type": "application/json" },
      body: JSON.stringify({ email, password: "correct horse battery 1", data: { invitation } }),
    });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual(await kept(email), { users: 1, admins: 0, acts: 0 });
  };
  const [unclaimed, late, claimed] = [newAddress(), newAddress(), newAddress()];
  await signUp(unclaimed, await prepared(chief, unclaimed));
  const ofLate = await prepared(chief, late);
  await rpc("admin_claim_invitation", { p_admin_id: chief.id, p_id: ofLate }).then((response) => response.text());
  await inDatabase((sql) => sql`update private.admin_invitations set claimed_until = now() where id = ${ofLate}`);
  await signUp(late, ofLate);
  const ofClaimed = await prepared(chief, claimed);
  await rpc("admin_claim_invitation", { p_admin_id: chief.id, p_id: ofClaimed }).then((response) => response.text());
  await signUp(newAddress(), ofClaimed);
  await signUp(newAddress(), { not: "an id" });
});

Deno.test("admin invitations: an administrator who lost the area meanwhile cannot invite", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("admins")];
  const email = newAddress();
  const id = await prepared(other, email);
  await rpc("admin_claim_invitation", { p_admin_id: other.id, p_id: id }).then((response) => response.text());
  const suspended = await chief.ask(`${PATH}/${other.id}/suspend`, sending("POST", { reason: "Test" }));
  assert.equal(suspended.status, 200, await suspended.text());
  const sent = await withServiceKey("/auth/v1/invite", { email, data: { invitation: id } });
  assert.equal(sent.status, 500, await sent.text());
  assert.deepEqual(await kept(email), { users: 0, admins: 0, acts: 0 });
});

Deno.test("admin invitations: a wrong request is rejected with its field; without the area it is 403", async () => {
  const [chief, other] = [await anAdministrator("admins"), await anAdministrator("lots")];
  const email = newAddress();
  for (
    const [body, param] of [
      [{ areas: [] }, "email"],
      [{ email: "nobody", areas: [] }, "email"],
      [{ email }, "areas"],
      [{ email, areas: ["parking"] }, "areas"],
      [{ email, areas: [], name: "" }, "name"],
      [{ email, areas: [], status: "active" }, "status"],
    ] as const
  ) {
    const response = await invite(chief, body);
    const { error } = await response.json();
    assert.deepEqual([response.status, error.param.replace(/[.[].*/, "")], [422, param]);
  }
  for (
    const [args, param] of [
      [{ p_email: "nobody", p_areas: [] }, "email"],
      [{ p_email: email, p_areas: ["parking"] }, "areas"],
      [{ p_email: email, p_areas: [], p_name: "" }, "name"],
    ] as const
  ) {
    const response = await rpc("admin_invite_admin", { p_admin_id: chief.id, ...args });
    assert.deepEqual([response.status, JSON.parse((await response.json()).details).param], [422, param]);
  }
  const shut = await invite(other, { email, areas: ["admins"] });
  assert.deepEqual([shut.status, (await shut.json()).error.details], [403, { scope: "admin:admins" }]);
  assert.deepEqual(await reasonOf(await invite(chief, { email: other.email, areas: [] })), [409, "email_exists"]);
  assert.deepEqual(await kept(email), { users: 0, admins: 0, acts: 0 });
});
