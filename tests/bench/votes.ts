// What people say of lots, from several connections at once: ratings, votes on field values, ratings of their own sessions and
// approved reviews, all on one lot and on lots apart. The one lot has thousands of each already.
// deno run -A tests/bench/votes.ts   (needs DB_URL; `deno task bench` sets it)
import postgres, { type Sql } from "postgres";
import { ms, percentile, table } from "./measure.ts";

const CONNECTIONS = 6;
const PEOPLE = 3_000;
/** On the lot that everybody speaks of. */
const EARLIER = 20_000;
const SECONDS = 6;
const { DB_URL } = Deno.env.toObject();
if (!DB_URL) throw new Error("No platform is named: run `deno task bench`");

const sql = postgres(DB_URL, { max: 2, onnotice: () => {} });
const connections = Array.from({ length: CONNECTIONS }, () => postgres(DB_URL, { max: 1, onnotice: () => {} }));

/** Confirmed people, so that their votes count. */
async function people(count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into auth.users (id, email, email_confirmed_at)
    select p.id, p.id || '@example.test', now() - interval '2 days'
    from (select gen_random_uuid() as id from generate_series(1, ${count}::integer)) p returning id`;
  return rows.map(({ id }) => id);
}

interface Place {
  readonly lot: string;
  readonly value: string;
}

const places = await sql<Place[]>`
  select l.id as lot, private.field_value_id(l.id, 'name', to_jsonb(l.name)) as value
  from public.parking_lots l where l.status = 'active' limit ${PEOPLE + 1}`;
const one = places[0]!;
const apart = places.slice(1);
const voters = await people(PEOPLE);
const earlier = await people(EARLIER);
await sql`
  insert into public.parking_lot_ratings (user_id, parking_lot_id, value)
  select u.id, ${one.lot}, (array['good', 'bad'])[1 + u.place % 2] from unnest(${earlier}::uuid[]) with ordinality as u (id, place)`;
await sql`
  insert into public.field_values (id, parking_lot_id, field_name, value)
  select ${one.value}, l.id, 'name', to_jsonb(l.name) from public.parking_lots l where l.id = ${one.lot} on conflict do nothing`;
await sql`
  insert into public.field_value_votes (field_value_id, user_id, vote)
  select ${one.value}, u.id, 'confirm' from unnest(${earlier.slice(0, 1000)}::uuid[]) as u (id)`;
await sql`
  insert into public.reviews (parking_lot_id, user_id, rating, status)
  select ${one.lot}, u.id, 1 + u.place % 5, 'approved' from unnest(${earlier}::uuid[]) with ordinality as u (id, place)`;
const sessions = await sql<{ user: string; id: string; lot: string }[]>`
  insert into public.parking_sessions (user_id, parking_lot_id, status, started_at, client_request_id)
  select u.id, l.id, 'cancelled', now() - interval '2 hours', gen_random_uuid()
  from unnest(${voters}::uuid[]) with ordinality as u (id, place)
  cross join lateral (values (${one.lot}::uuid), ((${
  apart.map(({ lot }) => lot)
}::uuid[])[1 + u.place % ${apart.length}::integer])) as l (id)
  returning user_id as user, id, parking_lot_id as lot`;
const pending = async (lots: readonly Place[]) => {
  const rows = await sql<{ id: string }[]>`
    insert into public.reviews (parking_lot_id, user_id, rating)
    select l.id, u.id, 1 + u.place % 5
    from unnest(${voters}::uuid[]) with ordinality as u (id, place)
    cross join lateral (select (${
    lots.map(({ lot }) => lot)
  }::uuid[])[1 + u.place % ${lots.length}::integer] as id) l returning id`;
  return rows.map(({ id }) => id);
};
const reviews = { one: await pending([one]), apart: await pending(apart) };
await sql.unsafe("analyze public.parking_lot_ratings, public.reviews, public.field_value_votes, public.app_users");

/** As the Data API runs a command: one transaction as the caller, in one round trip. */
function command(connection: Sql, user: string, name: string, given: Record<string, unknown>): Promise<unknown> {
  const claims = JSON.stringify({ sub: user, role: "authenticated" });
  return connection.unsafe(`begin;
    select set_config('role', 'authenticated', true), set_config('request.jwt.claims', '${claims}', true);
    select api.run_command('${name}', '${JSON.stringify(given)}');
    commit`);
}

type Act = (connection: Sql, n: number, isOne: boolean) => Promise<unknown>;
const sessionsOf = (isOne: boolean) => sessions.filter(({ lot }) => (lot === one.lot) === isOne);
const rated = { one: sessionsOf(true), apart: sessionsOf(false) };
const at = (n: number, isOne: boolean) => isOne ? one : apart[n % apart.length]!;
const voter = (n: number) => voters[n % voters.length]!;
/** Each time around the people say the opposite, so that every vote changes the counts. */
const says = (n: number, words: readonly [string, string]) => words[Math.floor(n / PEOPLE) % 2]!;

const acts: [name: string, act: Act][] = [
  ["rating of a lot", (connection, n, isOne) =>
    command(connection, voter(n), "rate_parking_lot", {
      p_parking_lot_id: at(n, isOne).lot,
      p_value: says(n, ["good", "bad"]),
    })],
  ["vote on a field value", (connection, n, isOne) =>
    command(connection, voter(n), "vote_on_field_value", {
      p_parking_lot_id: at(n, isOne).lot,
      p_field_value_id: at(n, isOne).value,
      p_vote: says(n, ["confirm", "deny"]),
    })],
  ["rating of one's session", (connection, n, isOne) => {
    const session = (isOne ? rated.one : rated.apart)[n % PEOPLE]!;
    return command(connection, session.user, "update_my_parking_session", {
      p_id: session.id,
      p_personal_rating: says(n, ["good", "bad"]),
    });
  }],
  ["approval of a review", (connection, n, isOne) => {
    const review = (isOne ? reviews.one : reviews.apart)[n % PEOPLE]!;
    // As the decision of an administrator (2040), which locks in this order.
    return connection.unsafe(`begin;
      select private.lock_reviews(array['${review}']::uuid[]);
      update public.reviews set status = case status when 'approved' then 'hidden' else 'approved' end where id = '${review}';
      commit`);
  }],
];

const rows: (string | number)[][] = [];
for (const [name, act] of acts) {
  for (const isOne of [true, false]) {
    const times: number[] = [];
    let n = 0;
    const ends = performance.now() + SECONDS * 1000;
    await Promise.all(connections.map(async (connection) => {
      while (performance.now() < ends) {
        const started = performance.now();
        await act(connection, n++, isOne);
        times.push(performance.now() - started);
      }
    }));
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
    rows.push([name, isOne ? "one lot" : "lots apart", Math.round(times.length / SECONDS), ms(p50), ms(p95)]);
  }
}
const [checked] = await sql<{ wrong: number }[]>`
  select count(*)::integer as wrong from public.parking_lot_rating_counts n cross join lateral (
    select count(*) filter (where value = 'good') as good, count(*) filter (where value = 'bad') as bad
    from public.parking_lot_ratings r where r.parking_lot_id = n.parking_lot_id
  ) c where (n.good_count, n.bad_count) is distinct from (c.good, c.bad)`;
console.log(table(["", "where", "a second", "p50 ms", "p95 ms"], rows));
console.log(
  `\n${CONNECTIONS} connections, ${PEOPLE} people; the one lot has ${EARLIER} ratings and reviews and 1,000 votes on its name before; counts that differ from a recount: ${
    checked!.wrong
  }`,
);
for (const connection of [...connections, sql]) await connection.end();
