// Not too many requests: a policy's quota in a window that opens with the first.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { refusal, sqlstate } from "../support/refusal.ts";
import { newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`
  insert into private.rate_limit_policies (name, quota, window_seconds, comment)
  values ('small', 3, 60, 'For these tests'), ('other', 3, 60, 'For these tests')`;

interface Taken {
  readonly allowed: boolean;
  readonly policy: string;
  readonly quota: number;
  readonly window_seconds: number;
  readonly remaining: number;
  readonly reset_seconds: number;
}

async function take(user: string, policy = "small"): Promise<Taken | null> {
  return await db.as(signedIn(user), async (sql) => {
    const [row] = await sql<{ taken: Taken | null }[]>`select api.take_request(${policy}) as taken`;
    return row!.taken;
  });
}

async function visit(address: string): Promise<Taken | null> {
  return await db.as({ role: "service_role" }, async (sql) => {
    const [row] = await sql<{ taken: Taken | null }[]>`select api.take_visitor_request('small', ${address}) as taken`;
    return row!.taken;
  });
}

const allowed = async (times: number, next: () => Promise<Taken | null>): Promise<boolean[]> => {
  const answers: boolean[] = [];
  for (let time = 0; time < times; time++) answers.push((await next())!.allowed);
  return answers;
};

const age = (user: string, seconds: number) =>
  db.sql`update private.rate_limit_windows set started_at = now() - make_interval(secs => ${seconds}) where subject = ${user}`;

Deno.test("the quota passes and nothing beyond it, until the window closes", async () => {
  const user = await newUser(db.sql);
  assert.deepEqual(await take(user), {
    allowed: true,
    policy: "small",
    quota: 3,
    window_seconds: 60,
    remaining: 2,
    reset_seconds: 60,
  });
  assert.deepEqual(await allowed(6, () => take(user)), [true, true, false, false, false, false]);
  await age(user, 59);
  const late = (await take(user))!;
  assert.deepEqual([late.allowed, late.remaining, late.reset_seconds], [false, 0, 1]);
  await age(user, 60);
  assert.deepEqual(await allowed(4, () => take(user)), [true, true, true, false]);
});

Deno.test("every caller and every policy has a count of its own", async () => {
  const [one, other] = [await newUser(db.sql), await newUser(db.sql)];
  await allowed(4, () => take(one));
  assert.deepEqual(await allowed(4, () => take(other)), [true, true, true, false]);
  assert.deepEqual(await allowed(4, () => take(one, "other")), [true, true, true, false]);
});

Deno.test("a policy that is changed counts at once", async () => {
  const user = await newUser(db.sql);
  await allowed(4, () => take(user, "other"));
  await db.sql`update private.rate_limit_policies set quota = 5 where name = 'other'`;
  const next = (await take(user, "other"))!;
  assert.deepEqual([next.allowed, next.quota, next.remaining], [true, 5, 0]);
  await db.sql`update private.rate_limit_policies set quota = 3 where name = 'other'`;
  assert.equal((await take(user, "other"))!.allowed, false);
});

Deno.test("a policy that does not exist counts nothing and says so", async () => {
  assert.equal(await take(await newUser(db.sql), "nothing"), null);
});

Deno.test("a visitor is counted by address, by the service alone", async () => {
  assert.deepEqual(await allowed(4, () => visit("a")), [true, true, true, false]);
  assert.equal((await visit("b"))!.allowed, true);
  for (const caller of [signedIn(await newUser(db.sql)), { role: "anon" } as const]) {
    assert.equal(await sqlstate(db.as(caller, (sql) => sql`select api.take_visitor_request('small', 'c')`)), "42501");
  }
  assert.equal(await sqlstate(db.as({ role: "anon" }, (sql) => sql`select api.take_request('small')`)), "42501");
  const nobody = db.as({ role: "authenticated" }, (sql) => sql`select api.take_request('small')`);
  assert.equal((await refusal(nobody)).code, "unauthorized");
});

Deno.test("no client reaches keys, policies or windows", async () => {
  const user = await newUser(db.sql);
  for (const table of ["idempotency_keys", "rate_limit_policies", "rate_limit_windows"]) {
    for (const caller of [signedIn(user), { role: "anon" } as const]) {
      const reading = db.as(caller, (sql) => sql`select * from ${sql(`private.${table}`)}`);
      assert.equal(await sqlstate(reading), "42501", `${table}: ${caller.role}`);
    }
  }
});

Deno.test("the purge takes closed windows and leaves open ones", async () => {
  const [closed, open] = [await newUser(db.sql), await newUser(db.sql)];
  await take(closed);
  await take(open);
  await age(closed, 61);
  await db.sql`select private.purge_requests()`;
  const left = await db.sql`select subject from private.rate_limit_windows where subject in ${db.sql([closed, open])}`;
  assert.deepEqual(left.map(({ subject }) => subject), [open]);
});

Deno.test("the purge is run every five minutes, as the owner of the tables", async () => {
  const [job, ...others] = await db.sql`
    select jobname, schedule, username, active from cron.job where command like '%private.purge_requests()%'`;
  assert.deepEqual({ ...job }, {
    jobname: "purge_requests",
    schedule: "*/5 * * * *",
    username: "postgres",
    active: true,
  });
  assert.deepEqual(others, []);
});

Deno.test("what a policy may say is bounded", async () => {
  for (const [name, quota, seconds] of [["Big", 1, 60], ["big", 0, 60], ["big", 1, 0], ["big", 1, 86_401]] as const) {
    const insert = db.sql`
      insert into private.rate_limit_policies (name, quota, window_seconds, comment)
      values (${name}, ${quota}, ${seconds}, '')`;
    assert.equal(await sqlstate(insert), "23514", `${name} ${quota} ${seconds}`);
  }
});

interface Counted {
  readonly taken: Taken | null;
  readonly reply?: { readonly app_user: { readonly display_name: string } };
  readonly refusal?: {
    readonly code: string;
    readonly status: number;
    readonly message: string;
    readonly details: string;
  };
}

async function counted(user: string, name: unknown, policy = "small"): Promise<Counted> {
  return await db.as(signedIn(user), async (sql) => {
    const [row] = await sql<{ counted: Counted }[]>`
      select api.counted(${policy}, 'update_my_account', ${sql.json({ p_display_name: name as string })}) as counted`;
    return row!.counted;
  });
}

const nameOf = async (user: string) =>
  (await db.sql`select display_name from public.app_users where id = ${user}`)[0]!["display_name"];

Deno.test("a call is counted with what it does, a refused one without; beyond the quota nothing is called", async () => {
  const user = await newUser(db.sql);
  const first = await counted(user, "one");
  assert.deepEqual([first.taken!.remaining, first.reply?.app_user.display_name], [2, "one"]);
  const refused = await counted(user, "");
  assert.equal(refused.taken!.remaining, 1);
  assert.deepEqual([refused.refusal?.code, refused.refusal?.status], ["validation_error", 422]);
  assert.equal(JSON.parse(refused.refusal!.details).param, "display_name");
  assert.equal((await counted(user, "three")).taken!.remaining, 0);
  const beyond = await counted(user, "four");
  assert.deepEqual(Object.keys(beyond), ["taken"]);
  assert.equal(beyond.taken!.allowed, false);
  assert.equal(await nameOf(user), "three");
  assert.deepEqual(await counted(user, "five", "nothing"), { taken: null });
});

Deno.test("forty calls at once: the quota passes and takes effect, nothing beyond it does", async () => {
  const user = await newUser(db.sql);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => counted(user, `name ${n}`)));
  const effective = answers.filter(({ reply }) => reply !== undefined);
  assert.equal(effective.length, 3);
  const names = effective.map(({ reply }) => reply!.app_user.display_name);
  assert.ok(names.includes(await nameOf(user)));
  assert.equal(answers.filter(({ taken }) => !taken!.allowed).length, 37);
});

Deno.test("what fails otherwise than by a refusal is not counted", async () => {
  const user = await newUser(db.sql);
  await assert.rejects(
    db.as(signedIn(user), (sql) => sql`select api.counted('small', 'update_my_account', '{"p_display_name": []}') / 1`),
  );
  assert.equal((await take(user))!.remaining, 2);
});
