// Adds the sample people (tools/seed/people/) with their history to the database of a platform, so that every flow can be
// tried at once.
import postgres, { type TransactionSql } from "postgres";
import { History } from "../tools/seed/people/history.ts";
import { planLives } from "../tools/seed/people/lives.ts";
import {
  type Ids,
  SAMPLE_PASSWORD,
  SAMPLE_PEOPLE,
  type SampleEmail,
  type SamplePerson,
} from "../tools/seed/people/sample_people.ts";
import { hashPassword } from "./auth/passwords.ts";
import { createUser } from "./auth/users.ts";
import { connectionOptions } from "./postgres/connection_options.ts";

/**
 * Adds the sample people with their history to a database that has had no users, in one transaction. Returns the sample
 * people who are in the database. `onStart` is called if there are none yet.
 */
export async function addSamplePeople(superuser: string, onStart: () => void): Promise<SamplePerson[]> {
  const sql = postgres(superuser, { max: 1, ...connectionOptions });
  try {
    await sql.begin(async (transaction) => {
      const [used] = await transaction`
        select from auth.users union all select from public.admin_activity_logs limit 1`;
      if (used !== undefined) return;
      onStart();
      const history = await History.begin(transaction);
      await planLives(history, await signUp(transaction, history));
      await history.run();
      // The overview counts past days once, and it did so before these people.
      await transaction`delete from private.session_days`;
      await transaction`select private.refresh_overview_now(), private.refresh_overview()`;
    });
    const found = await sql<{ email: string }[]>`
      select email from auth.users where email in ${sql(SAMPLE_PEOPLE.map(({ email }) => email))}`;
    return SAMPLE_PEOPLE.filter(({ email }) => found.some((row) => row.email === email));
  } finally {
    await sql.end();
  }
}

/** Creates the accounts, each on the day of its sign-up. */
async function signUp(sql: TransactionSql, history: History): Promise<Ids> {
  const passwordHash = await hashPassword(sql, SAMPLE_PASSWORD);
  const [row] = await sql<{ areas: string[] }[]>`select private.admin_areas() as areas`;
  const ids: Record<string, string> = {};
  for (const { email, name, areas, signedUpDaysAgo } of SAMPLE_PEOPLE as readonly SamplePerson[]) {
    const appMetadata = areas && { admin: { name, areas: areas === "all" ? row!.areas : areas } };
    await history.happen(history.daysAgo(signedUpDaysAgo, "09:00"), async () => {
      const { id } = await createUser(sql, {
        email,
        passwordHash,
        isConfirmed: true,
        metadata: { email_verified: true, ...(areas ? {} : { display_name: name }) },
        ...(appMetadata ? { appMetadata } : {}),
      });
      ids[email] = id;
    });
  }
  return ids as Record<SampleEmail, string>;
}
