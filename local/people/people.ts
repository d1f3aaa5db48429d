// The sample people of the local platform: app users and administrators with a known password and a history, so that every
// flow can be tried at once. They are not in supabase/seed.sql, which `db push --include-seed` sends to hosted projects.
import postgres, { type TransactionSql } from "postgres";
import { hashPassword } from "../auth/passwords.ts";
import { createUser } from "../auth/users.ts";
import { connectionOptions } from "../postgres/connection_options.ts";
import { History } from "./history.ts";
import { live } from "./lives.ts";

export interface SamplePerson {
  readonly email: string;
  readonly name: string;
  /** Who this is, for the reader of the start and of the page at `/`. */
  readonly description: string;
  /** The areas of an administrator; `all` of them or some. Undefined for an app user. */
  readonly areas?: "all" | readonly string[];
}

/** The password of every sample person. */
export const SAMPLE_PASSWORD = "parking123";

export const SAMPLE_PEOPLE = [
  { email: "hanako@example.com", name: "佐藤 花子", description: "app user with a parking session that runs" },
  { email: "james@example.com", name: "James Miller", description: "app user, premium, in English" },
  { email: "taro@example.com", name: "鈴木 太郎", description: "app user who is new" },
  { email: "emma@example.com", name: "Emma Brown", description: "app user, suspended" },
  { email: "admin@example.com", name: "管理者", description: "administrator with all areas", areas: "all" },
  {
    email: "support@example.com",
    name: "サポート担当",
    description: "administrator with the areas reviews and support",
    areas: ["reviews", "support"],
  },
] as const satisfies readonly SamplePerson[];

export type SampleEmail = typeof SAMPLE_PEOPLE[number]["email"];

/** The ids of the sample people. */
export type Ids = Readonly<Record<SampleEmail, string>>;

/** How long ago the sample people signed up. */
const SIGNED_UP_DAYS_AGO = 40;

/**
 * Adds the sample people with their history to a database without users, in one transaction. Returns the sample people who
 * are in the database.
 */
export async function addSamplePeople(superuser: string): Promise<SamplePerson[]> {
  const sql = postgres(superuser, { max: 1, ...connectionOptions });
  try {
    await sql.begin(async (transaction) => {
      const [user] = await transaction`select from auth.users limit 1`;
      if (user !== undefined) return;
      const history = await History.begin(transaction);
      let ids: Ids | undefined;
      await history.at(history.daysAgo(SIGNED_UP_DAYS_AGO, "09:00"), async () => ids = await signUp(transaction));
      await live(history, ids!);
    });
    const found = await sql<{ email: string }[]>`
      select email from auth.users where email in ${sql(SAMPLE_PEOPLE.map(({ email }) => email))}`;
    return SAMPLE_PEOPLE.filter(({ email }) => found.some((row) => row.email === email));
  } finally {
    await sql.end();
  }
}

async function signUp(sql: TransactionSql): Promise<Ids> {
  const passwordHash = await hashPassword(sql, SAMPLE_PASSWORD);
  const [row] = await sql<{ areas: string[] }[]>`select private.admin_areas() as areas`;
  const ids: Record<string, string> = {};
  for (const { email, name, ...person } of SAMPLE_PEOPLE as readonly SamplePerson[]) {
    const { areas } = person;
    const appMetadata = areas && { admin: { name, areas: areas === "all" ? row!.areas : areas } };
    const user = await createUser(sql, {
      email,
      passwordHash,
      isConfirmed: true,
      metadata: { email_verified: true, ...(areas ? {} : { display_name: name }) },
      ...(appMetadata ? { appMetadata } : {}),
    });
    ids[email] = user.id;
  }
  return ids as Record<SampleEmail, string>;
}
