// The settings of a deployment: from the environment, or from a file that the environment overrides.
import { join } from "node:path";
import { parseEnv } from "node:util";

export interface Settings {
  readonly project: string;
  readonly accessToken: string;
  /** The address of the database without its password. */
  readonly databaseUrl: string;
  readonly databasePassword: string;
  /** The origin of the project's API. */
  readonly apiUrl: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly siteUrl: string;
  readonly redirectUrls: string;
  /** The settings of the functions that are given. */
  readonly secrets: Readonly<Record<string, string>>;
}

type Values = Readonly<Record<string, string | undefined>>;

/** What is needed, and where it is found. */
const REQUIRED: Readonly<Record<string, string>> = {
  SUPABASE_ACCESS_TOKEN: "a token of your account (Account, Access Tokens)",
  SUPABASE_DB_URL: "the address of the session pooler (Connect), with the password in it or in PGPASSWORD",
  SUPABASE_PUBLISHABLE_KEY: "the publishable key (API Keys), for the smoke test",
  SUPABASE_SECRET_KEY: "the secret key (API Keys), for the jobs and the smoke test",
  SITE_URL: "the address of the web application, which links in mails open",
  REDIRECT_URLS: "further addresses that links in mails may open, with commas between",
  S3_ENDPOINT: "the address of object storage (Storage, Settings)",
  S3_ACCESS_KEY_ID: "the S3 key pair (Storage, Settings)",
  S3_SECRET_ACCESS_KEY: "the S3 key pair (Storage, Settings)",
};

/** The environment, with the lines of a file for what it does not have. */
export async function readValues(envFile: string | undefined): Promise<Values> {
  const ofFile = envFile === undefined ? {} : parseEnv(await Deno.readTextFile(envFile));
  const given = Object.entries(Deno.env.toObject()).filter(([, value]) => value !== "");
  return { ...ofFile, ...Object.fromEntries(given) };
}

/** The names of the settings of the functions. */
export async function functionSettings(root: string): Promise<string[]> {
  const example = await Deno.readTextFile(join(root, "supabase/functions/.env.example"));
  return [...example.matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1]!);
}

/** The settings, or what is wrong with them. No message has a value. */
export function readSettings(
  project: string,
  values: Values,
  namesOfSecrets: readonly string[],
): { settings: Settings } | { problems: string[] } {
  const problems = Object.entries(REQUIRED).filter(([name]) => !values[name])
    .map(([name, meaning]) => `${name} is not set: ${meaning}.`);
  for (const name of ["SITE_URL", "S3_ENDPOINT", "SUPABASE_API_URL"]) {
    const value = values[name];
    if (value && !/^https?:\/\/[^\s()]+$/.test(value)) problems.push(`${name} is not an address with http or https.`);
  }
  const database = URL.parse(values["SUPABASE_DB_URL"] ?? "");
  const password = database?.password ? decodeURIComponent(database.password) : values["PGPASSWORD"];
  if (values["SUPABASE_DB_URL"]) {
    if (database === null || !/^postgres(ql)?:$/.test(database.protocol)) {
      problems.push("SUPABASE_DB_URL is not an address of Postgres, for example postgresql://….");
    } else if (!database.href.includes(project)) {
      problems.push(`SUPABASE_DB_URL does not name the project ${project}. It is the address of another database.`);
    } else if (!password) problems.push("The password of SUPABASE_DB_URL is missing. Write it into PGPASSWORD.");
  }
  if (problems.length > 0) return { problems };
  database!.password = "";
  return {
    settings: {
      project,
      accessToken: values["SUPABASE_ACCESS_TOKEN"]!,
      databaseUrl: database!.href,
      databasePassword: password!,
      apiUrl: (values["SUPABASE_API_URL"] || `https://${project}.supabase.co`).replace(/\/$/, ""),
      publishableKey: values["SUPABASE_PUBLISHABLE_KEY"]!,
      secretKey: values["SUPABASE_SECRET_KEY"]!,
      siteUrl: values["SITE_URL"]!,
      redirectUrls: values["REDIRECT_URLS"]!,
      secrets: Object.fromEntries(
        namesOfSecrets.filter((name) => values[name]).map((name) => [name, values[name]!]),
      ),
    },
  };
}

/** The address of the database with its password. */
export function databaseAddress({ databaseUrl, databasePassword }: Settings): string {
  const url = new URL(databaseUrl);
  url.password = encodeURIComponent(databasePassword);
  return url.href;
}

/** A text without the tokens, keys and passwords of a deployment. */
export function withoutSecrets(text: string, { accessToken, databasePassword, secretKey, secrets }: Settings): string {
  const values = [accessToken, databasePassword, secretKey, ...Object.values(secrets)]
    .flatMap((value) => [value, encodeURIComponent(value)])
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  return values.reduce((left, value) => left.replaceAll(value, "…"), text);
}

/** Shorter values, for example `gsi`, are parts of words. None of them is a secret. */
const MIN_SECRET_LENGTH = 6;
