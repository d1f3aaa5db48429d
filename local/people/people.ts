// The sample people of the local platform: app users and administrators with a known password and a history, so that every
// flow can be tried at once. They are not in supabase/seed.sql, which `db push --include-seed` sends to hosted projects.
import postgres, { type TransactionSql } from "postgres";
import { hashPassword } from "../auth/passwords.ts";
import { createUser } from "../auth/users.ts";
import { connectionOptions } from "../postgres/connection_options.ts";
import { History } from "./history.ts";
import { planLives } from "./lives.ts";

export interface SamplePerson {
  readonly email: string;
  readonly name: string;
  /** Who this is, for readers of the start and of the page at `/`. */
  readonly description: string;
  readonly signedUpDaysAgo: number;
  /** The areas of an administrator: `all` or some. An app user has none. */
  readonly areas?: "all" | readonly string[];
}

/** The password of every sample person. */
export const SAMPLE_PASSWORD = "parking123";

export const SAMPLE_PEOPLE = [
  { email: "hanako@example.com", name: "佐藤 花子", description: "app user, parked now", signedUpDaysAgo: 45 },
  {
    email: "james@example.com",
    name: "James Miller",
    description: "app user, premium, in English",
    signedUpDaysAgo: 44,
  },
  { email: "yuki@example.com", name: "高橋 由紀", description: "app user, writes reviews", signedUpDaysAgo: 43 },
  { email: "taro@example.com", name: "鈴木 太郎", description: "app user, new", signedUpDaysAgo: 1 },
  { email: "emma@example.com", name: "Emma Brown", description: "app user, suspended", signedUpDaysAgo: 42 },
  {
    email: "admin@example.com",
    name: "山田 健",
    description: "administrator, all areas",
    signedUpDaysAgo: 60,
    areas: "all",
  },
  {
    email: "support@example.com",
    name: "Olivia Clark",
    description: "administrator, reviews and support only",
    signedUpDaysAgo: 60,
    areas: ["reviews", "support"],
  },
] as const satisfies readonly SamplePerson[];

export type SampleEmail = typeof SAMPLE_PEOPLE[number]["email"];

/** The ids of the sample people. */
export type Ids = Readonly<Record<SampleEmail, string>>;

/**
 * Adds the sample people with their history to a database that has had no users, in one transaction. Returns the sample
 * people who are in the database.
 */
export async function addSamplePeople(superuser: string): Promise<SamplePerson[]> {
  const sql = postgres(superuser, { max: 1, ...connectionOptions });
  try {
    await sql.begin(async (transaction) => {
      const [used] = await transaction`
        select from auth.users union all select from public.admin_activity_logs limit 1`;
      if (used !== undefined) return;
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
