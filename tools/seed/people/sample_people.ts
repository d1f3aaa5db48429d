// Who the sample people of the local platform are: app users and administrators with a known password. They are not in
// supabase/seed.sql, which `db push --include-seed` sends to hosted projects.
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
