// Themes through their functions: who owns what, applying, and gifts.
import assert from "node:assert/strict";
import { database } from "../support/database.ts";
import { errorOf, sqlstate } from "../support/database_errors.ts";
import { newUser, signedIn } from "../support/rows.ts";

const db = await database();
Deno.test.afterAll(() => db.close());
await db.sql`delete from public.themes`;

interface Owned {
  readonly id: string;
  readonly theme_id: string;
  readonly acquisition_type: string;
  readonly is_applied: boolean;
}

interface Page {
  readonly items: Owned[];
  readonly next_cursor: string | null;
  readonly catalogue?: { id: string; is_owned: boolean; is_applied: boolean }[];
}

async function newTheme(columns: Record<string, string | number | boolean> = {}): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into public.themes ${db.sql({ name: "Theme", ...columns })} returning id`;
  return row!.id;
}

async function list(user: string, limit = 100, cursor: string | null = null, include: string[] = []) {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ page: Page }[]>`select api.list_my_themes(${limit}, ${cursor}, ${include}) as page`,
  );
  return row!.page;
}

async function apply(user: string, id: string): Promise<Owned> {
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ mine: Owned }[]>`select commands.apply_my_theme(${id}) as mine`,
  );
  return row!.mine;
}

async function newAdmin(): Promise<string> {
  const id = crypto.randomUUID();
  const metadata = db.sql.json({ admin: { name: "Gifts", areas: ["rewards"] } });
  await db.sql`
    insert into auth.users (id, email, raw_app_meta_data) values (${id}, ${`${id}@example.test`}, ${metadata})`;
  return id;
}

const grant = (user: string, theme: string, type: string) =>
  db.sql<{ is_new: boolean }[]>`select private.grant_theme(${user}, ${theme}, ${type}) as is_new`;
const gift = (theme: string, admin: string, user: string, message: string | null = null) =>
  db.as(
    { role: "service_role" },
    (sql) => sql`select api.gift_theme_to_user(${theme}, ${admin}, ${user}, ${message})`,
  );

Deno.test("themes: a free theme belongs to every user without a row, and keeps its id when it is applied", async () => {
  const user = await newUser(db.sql);
  const theme = await newTheme({ is_free: true });
  const listed = (await list(user)).items.find(({ theme_id }) => theme_id === theme);
  assert.deepEqual([listed?.acquisition_type, listed?.is_applied], ["free", false]);
  assert.deepEqual(await apply(user, theme), { ...listed, is_applied: true });
  assert.deepEqual((await list(user)).items.filter(({ theme_id }) => theme_id === theme), [
    { ...listed, is_applied: true },
  ]);
});

Deno.test("themes: a free theme that is no longer offered stays with the users who applied it, and with no other", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  const theme = await newTheme({ is_free: true });
  await apply(user, theme);
  await db.sql`update public.themes set is_active = false where id = ${theme}`;
  const has = async (who: string) => (await list(who)).items.some(({ theme_id }) => theme_id === theme);
  assert.deepEqual([await has(user), await has(other)], [true, false]);
  assert.equal((await errorOf(apply(other, theme))).code, "not_found");
});

Deno.test("themes: applying accepts the theme's id or the row's, and replaces the one before", async () => {
  const user = await newUser(db.sql);
  const [first, second] = [await newTheme(), await newTheme()];
  await grant(user, first, "purchase");
  await grant(user, second, "reward");
  await apply(user, first);
  const row = (await list(user)).items.find(({ theme_id }) => theme_id === second)!;
  assert.equal((await apply(user, row.id)).theme_id, second);
  const applied = (await list(user)).items.filter(({ is_applied }) => is_applied);
  assert.deepEqual(applied.map(({ theme_id }) => theme_id), [second]);
  assert.deepEqual(await apply(user, second), applied[0]);
});

Deno.test("themes: a theme that is not owned is not found, and the one before stays applied", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  const [mine, theirs] = [await newTheme(), await newTheme()];
  await grant(user, mine, "purchase");
  await grant(other, theirs, "purchase");
  await apply(user, mine);
  const theirRow = (await list(other)).items.find(({ theme_id }) => theme_id === theirs)!.id;
  for (const id of [theirs, theirRow, crypto.randomUUID()]) {
    const { code, status, param } = await errorOf(apply(user, id));
    assert.deepEqual([code, status, param], ["not_found", 404, "id"]);
  }
  assert.deepEqual((await list(user)).items.filter((o) => o.is_applied).map((o) => o.theme_id), [mine]);
});

Deno.test("themes: a theme is granted once, and its source does not change", async () => {
  const [user, theme] = [await newUser(db.sql), await newTheme()];
  assert.equal((await grant(user, theme, "purchase"))[0]!.is_new, true);
  assert.equal((await grant(user, theme, "reward"))[0]!.is_new, false);
  const owned = (await list(user)).items.find(({ theme_id }) => theme_id === theme);
  assert.equal(owned?.acquisition_type, "purchase");
  assert.equal(await sqlstate(grant(user, await newTheme(), "theft")), "23514");
});

Deno.test("themes: the catalogue has offered and owned themes, each once, in its order", async () => {
  const user = await newUser(db.sql);
  const offered = await newTheme({ sort_order: -30, price_yen_minor: 300 });
  const retired = await newTheme({ sort_order: -20, is_active: false });
  const hidden = await newTheme({ sort_order: -10, is_active: false });
  await grant(user, retired, "gift");
  await apply(user, retired);
  const { catalogue = [] } = await list(user, 1, null, ["catalogue"]);
  assert.deepEqual(catalogue.slice(0, 2).map(({ id, is_owned, is_applied }) => [id, is_owned, is_applied]), [
    [offered, false, false],
    [retired, true, true],
  ]);
  assert.ok(catalogue.every(({ id }) => id !== hidden));
  assert.equal(new Set(catalogue.map(({ id }) => id)).size, catalogue.length);
  assert.equal((await list(user)).catalogue, undefined);
});

Deno.test("themes: owned themes come page by page, each once, rows and free ones alike", async () => {
  const user = await newUser(db.sql);
  for (let n = 0; n < 4; n++) await grant(user, await newTheme(), "gift");
  await newTheme({ is_free: true });
  const all = (await list(user)).items.map(({ id }) => id);
  assert.ok(all.length >= 5);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await list(user, 2, cursor);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, all);
});

Deno.test("themes: a gift is the theme, its message and a notification; only the service gives one", async () => {
  const [user, admin, theme] = [await newUser(db.sql), await newAdmin(), await newTheme({ name: "Night" })];
  await gift(theme, admin, user, "  Thank you ");
  const owned = (await list(user)).items.find(({ theme_id }) => theme_id === theme);
  assert.equal(owned?.acquisition_type, "gift");
  const [row] = await db.as(
    signedIn(user),
    (sql) => sql<{ page: { items: Record<string, unknown>[] } }[]>`select api.list_my_theme_gifts() as page`,
  );
  assert.deepEqual(row!.page.items.map((item) => [item["theme_id"], item["message"]]), [[theme, "Thank you"]]);
  const notifications = await db.sql`select type, body from public.user_notifications where user_id = ${user}`;
  assert.deepEqual(notifications.map((n) => ({ ...n })), [{
    type: "theme_gift",
    body: "「Night」を使えるようになりました。\nThank you",
  }]);
  const byHand = db.as(signedIn(user), (sql) => sql`select api.gift_theme_to_user(${theme}, ${admin}, ${user})`);
  assert.equal(await sqlstate(byHand), "42501");
});

Deno.test("themes: an invalid gift is rejected by name without effect", async () => {
  const [user, admin, theme] = [await newUser(db.sql), await newAdmin(), await newTheme()];
  const deleted = await newUser(db.sql);
  await db.sql`select private.empty_account(${deleted})`;
  const free = await newTheme({ is_free: true });
  const unknown = crypto.randomUUID();
  for (
    const [statement, code, param] of [
      [() => gift(unknown, admin, user), "not_found", "theme_id"],
      [() => gift(theme, user, user), "forbidden", null],
      [() => gift(theme, admin, unknown), "not_found", "user_id"],
      [() => gift(theme, admin, deleted), "not_found", "user_id"],
      [() => gift(theme, admin, user, "x".repeat(501)), "validation_error", "message"],
      [() => gift(free, admin, user), "conflict", "theme_id"],
    ] as const
  ) {
    const error = await errorOf(statement());
    assert.deepEqual([error.code, error.param], [code, param]);
  }
  const [left] = await db.sql`select count(*)::integer as rows from public.theme_gifts where user_id = ${user}`;
  assert.equal(left!["rows"], 0);
});

Deno.test("themes: of twenty gifts of one theme at once one is given", async () => {
  const [user, admin, theme] = [await newUser(db.sql), await newAdmin(), await newTheme()];
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => gift(theme, admin, user)));
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  const [stored] = await db.sql`
    select (select count(*)::integer from public.theme_gifts where user_id = ${user}) as gifts,
      (select count(*)::integer from public.user_themes where user_id = ${user}) as owned`;
  assert.deepEqual({ ...stored }, { gifts: 1, owned: 1 });
});

Deno.test("themes: a theme that is free has no price", async () => {
  assert.equal(await sqlstate(newTheme({ is_free: true, price_yen_minor: 100 })), "23514");
});

/** Adjusts the points of a user to those of a level. */
const rise = (user: string, level: number) =>
  db.sql`
    insert into public.exp_entries (user_id, reason, source_type, source_id, amount)
    select u.id, 'adjustment', 'fixture', gen_random_uuid(), l.required_exp - u.total_exp
    from public.app_users u join public.levels l on l.level = ${level} where u.id = ${user}`;
/** As the job does it, with batches that have a next one. */
async function grantEarned(): Promise<void> {
  for (let more = true; more;) {
    [{ more = false } = {}] = await db.sql<{ more: boolean }[]>`select private.next_theme_batch(2) as more`;
  }
}
const ownedBy = async (user: string) => new Set((await list(user)).items.map(({ theme_id }) => theme_id));

Deno.test("themes: a level earns its themes and those of the levels below, and none that is not offered", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  const levels = [2, 3, 4].map((unlock_level) => newTheme({ unlock_level }));
  const [two, three, four] = await Promise.all(levels);
  const hidden = await newTheme({ unlock_level: 2, is_active: false });
  await rise(user, 3);
  const owned = await ownedBy(user);
  assert.deepEqual([two!, three!, four!, hidden].map((theme) => owned.has(theme)), [true, true, false, false]);
  const earned = (await list(user)).items.find(({ theme_id }) => theme_id === two);
  assert.equal(earned?.acquisition_type, "reward");
  await rise(user, 1);
  assert.ok((await ownedBy(user)).has(three!), "what was earned stays");
  assert.ok(!(await ownedBy(other)).has(two!));
});

Deno.test("themes: a theme that is offered later, or for less, is granted to those who have earned it", async () => {
  const [user, other] = [await newUser(db.sql), await newUser(db.sql)];
  await rise(user, 5);
  const theme = await newTheme({ unlock_level: 4, is_active: false });
  const dear = await newTheme({ unlock_level: 9 });
  assert.ok(!(await ownedBy(user)).has(theme));
  await db.sql`update public.themes set is_active = true where id = ${theme}`;
  await db.sql`update public.themes set unlock_level = 5 where id = ${dear}`;
  await grantEarned();
  const owned = await ownedBy(user);
  assert.deepEqual([owned.has(theme), owned.has(dear)], [true, true]);
  assert.ok(!(await ownedBy(other)).has(theme));
});

Deno.test("themes: a badge earns its theme, to those who have it already as well; the theme stays after the badge is deleted", async () => {
  const [user, early, other] = [await newUser(db.sql), await newUser(db.sql), await newUser(db.sql)];
  const [badge] = await db.sql<{ id: string }[]>`
    insert into public.badges (name, description, icon, category, conditions, threshold)
    select 'Badge', 'For a test', 'star', 'test', b.conditions, 1 from public.badges b limit 1 returning id`;
  const earn = (who: string) => db.sql`select private.earn_badge(${who}, ${badge!.id})`;
  await earn(early);
  const theme = await newTheme({ unlock_badge_id: badge!.id });
  await earn(user);
  await grantEarned();
  assert.ok((await ownedBy(early)).has(theme));
  assert.ok((await ownedBy(user)).has(theme));
  assert.ok(!(await ownedBy(other)).has(theme));
  await db.sql`delete from public.user_badges where badge_id = ${badge!.id}`;
  await db.sql`delete from public.user_badge_progress where badge_id = ${badge!.id}`;
  await db.sql`delete from public.badges where id = ${badge!.id}`;
  assert.ok((await ownedBy(user)).has(theme));
});

Deno.test("themes: a theme with an infinite acquired_at is rejected: it would fail the whole list", async () => {
  const user = await newUser(db.sql);
  const theme = await newTheme();
  for (const at of ["infinity", "-infinity", "10000-01-01 00:00:00+00", "0044-03-15 00:00:00+00 BC"]) {
    const owning = db.sql`
      insert into public.user_themes (user_id, theme_id, acquisition_type, acquired_at)
      values (${user}, ${theme}, 'purchase', ${at}::text::timestamptz)`;
    assert.equal(await sqlstate(owning), "23514", at);
  }
});
