// Withdrawal, through HTTP: the data of the user is erased, rows that others depend on stay.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { MyData } from "../../supabase/functions/_shared/schema/me.ts";
import { exportMyData } from "../../supabase/functions/me/account.ts";
import { eventually } from "../support/eventually.ts";
import { erased, eraseWithdrawn } from "../support/forgotten.ts";
import { type Person, signUp } from "../support/people.ts";
import { assertError } from "../support/api_errors.ts";
import { stack } from "../support/stack.ts";
import { ask, bearer, jsonBody, replyOf } from "./client.ts";
import { aLot, inDatabase } from "./lots.ts";
import { uploaded } from "./uploaded.ts";

async function write({ token }: Person, method: string, path: string, body: unknown) {
  const answer = await ask(path, { method, ...jsonBody(body, bearer(token)) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Does the work of the job, which may have begun with this account itself. */
async function eraseNow(sql: Sql, { id }: Person): Promise<void> {
  await eraseWithdrawn(sql);
  await erased(sql, id);
}

/** The title of a campaign that is not sent. */
const NOT_OUT_YET = `not out yet ${crypto.randomUUID()}`;

/** A user with a row in every table that can have one. */
async function busyPerson() {
  const mark = crypto.randomUUID().slice(0, 8);
  /** Everything that only they would have written. */
  const own = {
    name: `Kenji ${mark}`,
    plate: `品川 330 ${mark}`,
    memo: `Level 3 ${mark}`,
    device: `token-${mark}`,
    words: `my own words ${mark}`,
    opinion: `an opinion ${mark}`,
    complaint: `a complaint ${mark}`,
    asked: `a lot near my home ${mark}`,
  };
  const [appUser, lot] = [await signUp({ displayName: own.name }), await aLot({ total_spaces: 40 })];
  const { id: vehicle_id } = await write(appUser, "POST", "/me/vehicles", {
    vehicle_type: "standard",
    plate_number: own.plate,
  });
  await write(appUser, "POST", "/me/search-presets", { name: "Near work", query_json: { v: 1 } });
  await write(appUser, "POST", "/me/saved-parking-lots", { parking_lot_id: lot });
  await write(appUser, "PUT", `/parking-lots/${lot}/rating`, { value: "good" });
  const review = await write(appUser, "POST", `/parking-lots/${lot}/reviews`, { rating: 4, comment: "wide" });
  await inDatabase((sql) => sql`update public.reviews set status = 'approved' where id = ${review.id}`);
  // Not published: pending, rejected, hidden.
  for (const moves of [[], ["rejected"], ["approved", "hidden"]]) {
    const other = await write(appUser, "POST", `/parking-lots/${await aLot()}/reviews`, {
      rating: 1,
      comment: own.opinion,
    });
    await inDatabase(async (sql) => {
      for (const status of moves) await sql`update public.reviews set status = ${status} where id = ${other.id}`;
    });
  }
  await write(appUser, "POST", "/parking-lots/" + lot + "/occupancy-reports", { state: "available" });
  await write(appUser, "PUT", "/me/push-tokens", { fcm_token: own.device, device_type: "ios" });
  await write(appUser, "PUT", "/me/notification-preferences", {
    items: [{ notif_type: "campaign", push_enabled: false, in_app_enabled: true, email_enabled: false }],
    quiet_hours: { from: "22:00", to: "07:00", time_zone: "Asia/Tokyo" },
  });
  const start = { parking_lot_id: lot, vehicle_type: "standard", vehicle_id, start_lat: 35.6, start_lng: 139.7 };
  const { session_id } = await write(appUser, "POST", "/parking-sessions", start);
  await write(appUser, "PATCH", `/me/parking-sessions/${session_id}`, { memo: own.memo });
  const photo = await uploaded(appUser, "session_photo");
  await write(appUser, "PUT", `/me/parking-sessions/${session_id}/photos/during/1`, { asset_id: photo });
  await write(appUser, "POST", "/error-reports", {
    parking_lot_id: lot,
    report_type: "price",
    description: own.complaint,
    evidence_asset_ids: [await uploaded(appUser, "error_report")],
  });
  await write(appUser, "POST", "/search/ai", {
    action: "register_key",
    provider_id: "openai",
    api_key: `sk-${mark}-key`,
  });
  await write(appUser, "POST", "/support/tickets", { category: "other", subject: "Hello", message: own.words });
  await inDatabase(async (sql) => {
    const giver = crypto.randomUUID();
    await sql`
      insert into auth.users (id, email, raw_app_meta_data)
      values (${giver}, ${`${giver}@example.com`}, '{"admin": {"areas": []}}')`;
    await sql`select private.notify_user(${appUser.id}, 'announcement', ${own.name}, ${own.words})`;
    for (const status of ["draft", "scheduled"]) {
      await sql`
        insert into public.user_notifications (user_id, type, title, body, status)
        values (${appUser.id}, 'campaign', ${NOT_OUT_YET}, 'Body', ${status})`;
    }
    await sql`insert into public.search_preferences (user_id, yen_per_walk_minute) values (${appUser.id}, 30)`;
    // Gives points and the badge of the first session.
    await sql`select private.record_activity(${appUser.id}, 'session_end', p_subject_id => ${session_id})`;
    await sql`
      with theme as (insert into public.themes (name) values ('Theme') returning id),
        gift as (
          insert into public.theme_gifts (user_id, theme_id, admin_id) select ${appUser.id}, id, ${giver} from theme)
      insert into public.user_themes (user_id, theme_id, acquisition_type) select ${appUser.id}, id, 'gift' from theme`;
    await sql`
      insert into private.kept_reviews (review_id, user_id, parking_lot_id, rating, created_at)
      values (gen_random_uuid(), ${appUser.id}, gen_random_uuid(), 4, now())`;
    await sql`
      with sponsor as (insert into public.sponsors (name, lat, lng, is_active) values ('Cafe', 35.6, 139.7, false) returning id)
      insert into public.sponsor_checkins (user_id, sponsor_id, local_date, distance_m, accuracy_m)
      select ${appUser.id}, id, '2026-09-01', 1, 1 from sponsor`;
    await sql`
      with plan as (
        insert into public.subscription_plans (code, name, price_minor, billing_period, is_active)
        values (${`plan.${crypto.randomUUID()}`}, 'Plan', 480, 'month', false) returning id)
      insert into public.user_subscriptions (
        user_id, plan_id, platform, environment, subscription_key, status, started_at, auto_renewing, is_trial_period,
        original_purchase_date
      ) select ${appUser.id}, id, 'ios', 'Sandbox', ${crypto.randomUUID()}, 'expired', now(), false, false, now() from plan`;
    await sql`
      select api.log_ai_request(${appUser.id}, ${
      sql.json({
        form: "query",
        lang: "ja",
        text_length: own.asked.length,
        text: own.asked,
        outcome: "answered",
        parser: "rules",
        confidence: 0.9,
        latency_ms: 1,
      })
    })`;
    const [value] = await sql`select id from private.current_field_values(${lot}) where field_name = 'total_spaces'`;
    await write(appUser, "POST", `/parking-lots/${lot}/field-values/${value!["id"]}/confirm`, {});
  });
  return { person: appUser, own, lot, review: review.id as string, session: session_id as string };
}

/** Tables that reference users, and whether a row is deleted with the account or only loses the name. */
async function tablesOfPeople(sql: Sql) {
  return await sql<{ table: string; column: string; goes: boolean }[]>`
    select c.conrelid::regclass::text as table, a.attname as column, c.confdeltype = 'c' as goes
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid = 'public.app_users'::regclass
    order by 1`;
}

const withdraw = ({ token }: Person) => ask("/me/withdraw", { method: "POST", headers: bearer(token) });

Deno.test("withdrawal: the export has every table that names the caller, and no rows of other users", async () => {
  const [{ person: appUser, own }, other] = [await busyPerson(), await busyPerson()];
  const answer = await ask("/me/export", { headers: bearer(appUser.token) });
  const { account, data } = await replyOf(exportMyData, answer, MyData);
  assert.equal(account.email, appUser.email);
  const tables = await inDatabase(tablesOfPeople);
  const named = tables.map(({ table }) => table.replace(/^(public|private)\./, ""));
  assert.deepEqual(named.filter((table) => !(data[table]?.length)), [], "every table has a row of this person");
  const text = JSON.stringify(data);
  const [user] = data["auth.users"]!;
  assert.equal(user!["email"], appUser.email);
  assert.equal((user!["raw_user_meta_data"] as { display_name: string }).display_name, own.name);
  assert.equal(data["auth.sessions"]!.length, 1);
  assert.deepEqual(data["auth.identities"]!.map(({ provider }) => provider), ["email"]);
  for (const secret of [appUser.refreshToken, appUser.token, "$2"]) assert.ok(!text.includes(secret), secret);
  for (const written of Object.values(own)) assert.ok(text.includes(written), written);
  assert.ok(!text.includes(other.person.id) && !text.includes(other.session));
  assert.ok(!text.includes("admin_id"));
  assert.ok(!text.includes(NOT_OUT_YET), "a notification that is not sent");
  assert.deepEqual(data["user_notifications"]!.filter(({ status }) => status !== "sent"), []);
});

/** What the export shows of the caller's own rows though clients are not granted it, and why. */
const SHOWN_WITHOUT_GRANT: Record<string, string> = {
  "app_users.premium_ends_at": "what the person paid for",
  "assets.entity_type": "what the person's file belongs to",
  "assets.entity_id": "what the person's file belongs to",
  "assets.attached_at": "since when the person's file is used",
  "assets.created_at": "when the person sent the file",
  "parking_sessions.rules": "the price list that the row names",
};
/** Tables of other schemas, which no client is granted, and rows within rows: checked by name. */
const OTHER_TABLES = ["auth.users", "auth.identities", "auth.sessions", "kept_reviews", "ai_keys", "ai_requests"];
const WITHIN: Record<string, string> = {
  "parking_sessions.photos": "parking_session_photos",
  "support_tickets.messages": "support_messages",
};

Deno.test("withdrawal: the export shows the columns that clients are granted, and no other but those listed here", async () => {
  const { person: appUser } = await busyPerson();
  const { data } = await (await ask("/me/export", { headers: bearer(appUser.token) })).json() as {
    data: Record<string, Record<string, unknown>[]>;
  };
  const granted = await inDatabase((sql) =>
    sql<{ column: string }[]>`
      select c.relname || '.' || a.attname as column
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and has_column_privilege('authenticated', c.oid, a.attnum, 'select')`
  );
  const readable = new Set(granted.map(({ column }) => column));
  const visible = new Set<string>();
  const collect = (table: string, rows: readonly Record<string, unknown>[]) => {
    for (const [column, value] of rows.flatMap((row) => Object.entries(row))) {
      const within = WITHIN[`${table}.${column}`];
      if (within === undefined) visible.add(`${table}.${column}`);
      else collect(within, value as Record<string, unknown>[]);
    }
  };
  for (const [table, rows] of Object.entries(data)) if (!OTHER_TABLES.includes(table)) collect(table, rows);
  assert.ok(visible.has("support_messages.body") && visible.has("parking_session_photos.storage_key"));
  const ungranted = [...visible].filter((column) => !readable.has(column));
  assert.deepEqual(ungranted.sort(), Object.keys(SHOWN_WITHOUT_GRANT).sort());
});

Deno.test("withdrawal: a withdrawal deletes every row of the user alone, and removes the name from the others", async () => {
  const { person: appUser, lot, review, session } = await busyPerson();
  assert.equal((await withdraw(appUser)).status, 204);
  await inDatabase(async (sql) => {
    await eraseNow(sql, appUser);
    for (const { table, column } of await tablesOfPeople(sql)) {
      const [left] = await sql`
        select count(*)::integer as rows from ${sql(table)} where ${sql(column)} = ${appUser.id}`;
      assert.equal(left!["rows"], 0, `${table}.${column}`);
    }
    const [kept] = await sql`
      select (select row(user_id, comment)::text from public.reviews where id = ${review}) as review,
        (select row(user_id, status, memo, start_lat, vehicle_id)::text from public.parking_sessions where id = ${session}) as session,
        (select array_agg(row(report_type, user_id, description)::text) from public.error_reports where parking_lot_id = ${lot}) as reports,
        (select count(*)::integer from public.occupancy_reports where parking_lot_id = ${lot}) as occupancy,
        (select count(*)::integer from public.parking_session_photos where session_id = ${session}) as photos,
        (select count(*)::integer from private.session_reminders where session_id = ${session}) as reminders,
        (select row(display_name, status)::text from public.app_users where id = ${appUser.id}) as account,
        (select row(email, encrypted_password, raw_user_meta_data)::text from auth.users where id = ${appUser.id}) as auth`;
    assert.deepEqual({ ...kept }, {
      review: "(,wide)",
      session: "(,cancelled,,,)",
      reports: ["(price,,)"],
      occupancy: 1,
      photos: 0,
      reminders: 0,
      account: "(,withdrawn)",
      auth: "(,,{})",
    });
  });
});

/** The tables of all schemas in which a row contains one of these texts. */
async function tablesWith(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`;
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql.unsafe<{ is_there: boolean }[]>(
      `select exists (select from ${name} t where exists (
        select from unnest($1::text[]) as x (text) where strpos(t::text, x.text) > 0)) as is_there`,
      [texts as string[]],
    );
    if (row!.is_there) found.push(name);
  }
  return found;
}

Deno.test("withdrawal: after a withdrawal neither a table nor the object store has data that only the user can have written", async () => {
  const { person: appUser, own, session } = await busyPerson();
  const { photos } = await (await ask(`/me/parking-sessions/${session}`, { headers: bearer(appUser.token) })).json();
  const { items: [report] } = await (await ask("/me/error-reports", { headers: bearer(appUser.token) })).json();
  const files: string[] = [photos[0].url, ...report.evidence_urls];
  const texts = [...Object.values(own), appUser.email, appUser.refreshToken, appUser.token];
  await inDatabase(async (sql) => {
    const before = await tablesWith(sql, texts);
    for (const table of ["app_users", "user_vehicles", "parking_sessions", "user_push_tokens", "auth.users"]) {
      assert.ok(before.includes(table), `${table} is searched: ${before}`);
    }
    assert.equal((await withdraw(appUser)).status, 204);
    await eraseNow(sql, appUser);
    assert.deepEqual(await tablesWith(sql, texts), []);
  });
  for (const url of files) {
    await eventually(async () => {
      const swept = await ask("/storage/sweep", { method: "POST", ...jsonBody({}, bearer(stack().serviceRoleKey)) });
      await swept.body?.cancel();
      const read = await fetch(url);
      await read.body?.cancel();
      return read.status === 404 ? true : undefined;
    });
  }
});

Deno.test("withdrawal: sign-in and refresh fail, the valid token is rejected by its code, and the e-mail address is free again", async () => {
  const appUser = await signUp({ displayName: "Kenji" });
  assert.equal((await withdraw(appUser)).status, 204);
  const { apiUrl, publishableKey } = stack();
  const token = (grant: string, body: unknown) =>
    fetch(`${apiUrl}/auth/v1/token?grant_type=${grant}`, {
      method: "POST",
      ...jsonBody(body, { apikey: publishableKey }),
    });
  for (
    const [grant, body] of [
      ["password", { email: appUser.email, password: appUser.password }],
      ["refresh_token", { refresh_token: appUser.refreshToken }],
    ] as const
  ) {
    const answer = await token(grant, body);
    await answer.body?.cancel();
    assert.equal(answer.status, 400, grant);
  }
  const me = await (await ask("/me", { headers: bearer(appUser.token) })).json();
  assert.deepEqual([me.app_user.status, me.app_user.display_name, me.email], ["withdrawn", null, null]);
  await assertError(await withdraw(appUser), { code: "forbidden" });
  await assertError(await ask("/me/export", { headers: bearer(appUser.token) }), { code: "forbidden" });

  const again = await fetch(`${apiUrl}/auth/v1/signup`, {
    method: "POST",
    ...jsonBody({ email: appUser.email, password: appUser.password }, { apikey: publishableKey }),
  });
  const { user } = await again.json();
  assert.equal(again.status, 200);
  assert.notEqual(user.id, appUser.id);
});

Deno.test("withdrawal: a link mailed before the withdrawal is invalid, and a requested e-mail address is deleted", async () => {
  const [appUser, wanted] = [await signUp(), `${crypto.randomUUID()}@example.com`];
  const { apiUrl, publishableKey } = stack();
  const auth = async (method: string, path: string, body: unknown, headers = {}) => {
    const answer = await fetch(`${apiUrl}/auth/v1${path}`, {
      method,
      ...jsonBody(body, { apikey: publishableKey, ...headers }),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await auth("PUT", "/user", { email: wanted }, bearer(appUser.token)), 200);
  assert.equal(await auth("POST", "/recover", { email: appUser.email }), 200);
  await inDatabase(async (sql) => {
    const kept = async () => {
      const [user] = await sql`
        select recovery_token, email_change_token_new, email_change from auth.users where id = ${appUser.id}`;
      return [user!["recovery_token"], user!["email_change_token_new"], user!["email_change"]];
    };
    const [recovery, change, args] = await kept();
    assert.deepEqual([typeof recovery, typeof change, args], ["string", "string", wanted]);
    assert.equal((await withdraw(appUser)).status, 204);
    assert.equal(await auth("POST", "/verify", { type: "recovery", token_hash: recovery }), 403);
    assert.equal(await auth("POST", "/verify", { type: "email_change", token_hash: change }), 403);
    assert.deepEqual(await kept(), ["", "", ""]);
    await eraseNow(sql, appUser);
    assert.deepEqual(await tablesWith(sql, [wanted, recovery, change]), []);
  });
});

Deno.test("withdrawal: a withdrawn user who was an administrator has no admin access and no name", async () => {
  const [appUser, name] = [await signUp(), `Akiko ${crypto.randomUUID()}`];
  const { apiUrl, secretKey } = stack();
  const made = await fetch(`${apiUrl}/auth/v1/admin/users/${appUser.id}`, {
    method: "PUT",
    ...jsonBody({ app_metadata: { admin: { name, areas: ["lots"] } } }, { apikey: secretKey }),
  });
  await made.body?.cancel();
  const me = async () => await (await ask("/me", { headers: bearer(appUser.token) })).json();
  assert.deepEqual((await me()).permission_scopes, ["user", "admin", "admin:lots"]);
  assert.equal((await withdraw(appUser)).status, 204);
  const { permission_scopes, admin } = await me();
  assert.deepEqual([permission_scopes, admin.name, admin.status], [[], null, "suspended"]);
  assert.deepEqual(await inDatabase((sql) => tablesWith(sql, [name])), []);
});

Deno.test("withdrawal: the identity provider's log of other users stays, also of an address with the same ending", async () => {
  const appUser = await signUp();
  await inDatabase(async (sql) => {
    const log = async (address: string) => {
      const [row] = await sql`
        insert into auth.audit_log_entries (id, payload, created_at)
        values (gen_random_uuid(), ${sql.json({ action: "login", actor_username: address })}, now()) returning id`;
      return row!["id"] as string;
    };
    const [own, others] = [await log(appUser.email), await log(`ann.${appUser.email}`)];
    assert.equal((await withdraw(appUser)).status, 204);
    await eraseNow(sql, appUser);
    const left = await sql`select id from auth.audit_log_entries where id in ${sql([own, others])}`;
    assert.deepEqual(left.map(({ id }) => id), [others]);
  });
});

Deno.test("withdrawal: forty concurrent withdrawals end an account once, during writes for it", async () => {
  const [appUser, lot] = [await signUp(), await aLot()];
  const answers = await Promise.all(Array.from({ length: 40 }, async (_, n) => {
    const answer = n % 2 === 0 ? await withdraw(appUser) : await ask("/me/saved-parking-lots", {
      method: "POST",
      ...jsonBody({ parking_lot_id: lot }, bearer(appUser.token)),
    });
    await answer.body?.cancel();
    return answer.status;
  }));
  assert.equal(answers.filter((status) => status === 204).length, 1);
  assert.deepEqual([...new Set(answers)].filter((status) => ![200, 201, 204, 403].includes(status)), []);
  const [left] = await inDatabase(async (sql) => {
    await erased(sql, appUser.id); // by the platform's own job
    return await sql`
      select count(*)::integer as rows from public.saved_parking_lots where user_id = ${appUser.id}`;
  });
  assert.equal(left!["rows"], 0);
});
