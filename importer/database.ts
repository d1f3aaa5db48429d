import postgres, { type Sql } from "postgres";
import { ImportFailure } from "../supabase/functions/_shared/import/failure.ts";

/** The address that was given, the one in the environment, or that of the platform that runs on this machine. */
export async function databaseUrl(given?: string): Promise<string> {
  const named = given ?? Deno.env.get("DB_URL");
  if (named) return named;
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", new URL("../local/status.ts", import.meta.url).href],
    stdout: "piped",
    stderr: "null",
  }).output();
  if (!success) {
    throw new ImportFailure("No database: start the platform (deno task dev), or give --db-url or DB_URL.");
  }
  return JSON.parse(new TextDecoder().decode(stdout)).DB_URL;
}

/** One connection, kept however long the import takes: the lock on the source is the session's. */
export function connect(url: string): Sql {
  try {
    return postgres(url, {
      max: 1,
      max_lifetime: null,
      onnotice: () => {},
      connection: { application_name: "import" },
    });
  } catch (cause) {
    // What was given may hold a password.
    throw new ImportFailure("This is no database address; one reads postgresql://user:password@host:port/name.", {
      cause,
    });
  }
}
