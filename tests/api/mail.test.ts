// Mail from its event to the mail service. Every test has its own users, whose addresses identify their mails.
import assert from "node:assert/strict";
import { NotificationPreferences } from "../../supabase/functions/_shared/schema/notifications.ts";
import { putNotificationPreferences, readNotificationPreferences } from "../../supabase/functions/me/notifications.ts";
import { eventually } from "../support/eventually.ts";
import { type Person, signUp } from "../support/people.ts";
import { receivedMails } from "../support/providers.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { anAdministrator, sending } from "./administrators.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { inDatabase } from "./lots.ts";

const PREFERENCES = "/me/notification-preferences";

const dispatch = async (path: "/mail-dispatch" | "/push-dispatch") => {
  const response = await ask(path, { method: "POST", headers: bearer(stack().serviceRoleKey) });
  assert.equal(response.status, 200, await response.text());
};

/** The address of a user, as the auth server has it. */
async function addressOf({ id }: Person): Promise<string> {
  const [row] = await inDatabase((sql) => sql<{ email: string }[]>`select email from auth.users where id = ${id}`);
  return row!.email;
}

/** The mails to an address, once there are any; what was sent to many users is spread to each of them first. */
function mailed(address: string) {
  return eventually(async () => {
    await dispatch("/push-dispatch");
    await dispatch("/mail-dispatch");
    const mails = await receivedMails(address);
    return mails.length > 0 ? mails : undefined;
  });
}

const prefer = (user: Person, notif_type: string, email_enabled: boolean) =>
  ask(PREFERENCES, {
    method: "PUT",
    ...jsonBody(
      { items: [{ notif_type, push_enabled: true, in_app_enabled: true, email_enabled }] },
      bearer(user.token),
    ),
  });

Deno.test("mail: a reply of support is mailed once, in the language of the user", async () => {
  const [user, support] = [await signUp(), await anAdministrator("support")];
  const language = await ask("/me", { method: "PATCH", ...jsonBody({ lang: "en" }, bearer(user.token)) });
  assert.equal(language.status, 200, await language.text());
  const opened = await ask("/support/tickets", {
    method: "POST",
    ...jsonBody({ category: "other", subject: "A receipt", message: "Where is it?" }, bearer(user.token)),
  });
  const ticket = await opened.json();
  assert.equal(opened.status, 201, JSON.stringify(ticket));
  const replied = await support.ask(
    `/admin/support-tickets/${ticket.id}/messages`,
    sending("POST", { message: "Here.", seen_updated_at: ticket.updated_at }),
  );
  assert.equal(replied.status, 201, await replied.text());
  const [mail, ...others] = await mailed(await addressOf(user));
  assert.deepEqual([others, mail!.times, mail!.subject], [[], 1, "Support has replied"]);
  assert.ok(mail!.text.includes("A receipt"), mail!.text);
  assert.ok(mail!.html.startsWith('<!doctype html><html lang="en">'), mail!.html);
});

Deno.test("mail: a composed notification is mailed only to users who enabled it", async () => {
  const [on, off, admin] = [await signUp(), await signUp(), await anAdministrator("notifications")];
  assert.equal((await prefer(on, "announcement", true)).status, 200);
  for (const user of [off, on]) {
    const composed = await admin.ask(
      "/admin/user-notifications",
      sending("POST", { type: "announcement", title: "題名", body: "本文", target: "user", user_id: user.id }),
    );
    const { id } = await composed.json();
    assert.equal((await admin.ask(`/admin/user-notifications/${id}/send`, sending("POST"))).status, 202);
  }
  assert.deepEqual((await mailed(await addressOf(on))).map(({ subject }) => subject), ["題名"]);
  assert.deepEqual(await receivedMails(await addressOf(off)), []);
});

Deno.test("notification preferences: the reply has whether mail is available and for which types it can be enabled", async () => {
  const user = await signUp();
  const read = await replyOf(
    readNotificationPreferences,
    await ask(PREFERENCES, { headers: bearer(user.token) }),
    NotificationPreferences,
  );
  assert.equal(read.email_available, true);
  for (const { code, email_allowed } of read.types) {
    const put = await prefer(user, code, true);
    if (email_allowed) {
      const { items } = await replyOf(putNotificationPreferences, put, NotificationPreferences);
      assert.equal(items.find(({ notif_type }) => notif_type === code)?.email_enabled, true, code);
    } else {
      await assertError(put, { code: "validation_error", param: "items.0.email_enabled" });
    }
  }
  assert.deepEqual(
    read.types.filter(({ email_allowed }) => !email_allowed).map(({ code }) => code).sort(),
    ["badge_earned", "exit_closing", "fee_increase", "fee_surprise", "level_up", "session_reminder"],
  );
});
