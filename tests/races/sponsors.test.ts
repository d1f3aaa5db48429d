// Check-ins and themes, many at once, through HTTP.
import assert from "node:assert/strict";
import { ask, bearer, jsonBody } from "../api/client.ts";
import { inDatabase } from "../api/lots.ts";
import { signUp } from "../support/people.ts";

const MANY = 40;

Deno.test(`sponsors: of ${MANY} check-ins at once one counts, and all replies have it`, async () => {
  const user = await signUp();
  const [sponsor] = await inDatabase((sql) =>
    sql<{ id: string }[]>`insert into public.sponsors (name, lat, lng) values ('Cafe', -20, 57) returning id`
  );
  const body = { lat: -20, lng: 57, accuracy_m: 5 };
  const answers = await Promise.all(Array.from({ length: MANY }, async () => {
    const answer = await ask(`/sponsors/${sponsor!.id}/checkin`, {
      method: "POST",
      ...jsonBody(body, bearer(user.token)),
    });
    return { status: answer.status, ...await answer.json() as { id: string; counted: boolean } };
  }));
  assert.deepEqual(answers.filter(({ counted }) => counted).map(({ status }) => status), [201]);
  assert.equal(answers.filter(({ counted, status }) => !counted && status === 200).length, MANY - 1);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  const [stored] = await inDatabase((sql) =>
    sql`
    select (select count(*)::integer from public.sponsor_checkins where user_id = ${user.id}) as checkins,
      (select count(*)::integer from public.user_activity_logs where user_id = ${user.id}) as activity`
  );
  assert.deepEqual({ ...stored }, { checkins: 1, activity: 1 });
});

Deno.test(`themes: of ${MANY} applied at once one is applied in the end, and none is rejected`, async () => {
  const user = await signUp();
  const themes = await inDatabase((sql) =>
    sql<{ id: string }[]>`
      insert into public.themes (name, is_free) select 'Theme ' || n, true from generate_series(1, 4) as n returning id`
  );
  const statuses = await Promise.all(Array.from({ length: MANY }, async (_, n) => {
    const answer = await ask(`/me/themes/${themes[n % themes.length]!.id}/apply`, {
      method: "POST",
      headers: bearer(user.token),
    });
    await answer.body?.cancel();
    return answer.status;
  }));
  assert.deepEqual([...new Set(statuses)], [200]);
  const [stored] = await inDatabase((sql) =>
    sql`
    select count(*)::integer as owned, count(*) filter (where is_applied)::integer as applied
    from public.user_themes where user_id = ${user.id}`
  );
  assert.deepEqual({ ...stored }, { owned: 4, applied: 1 });
});
