import { fileURLToPath } from "node:url";
import postgres, { type Sql } from "postgres";
import { ImportFailure } from "../../supabase/functions/_shared/import/failure.ts";

/** The address in the option `--db-url`, else in DB_URL, else, only if `localDefault` is set, of the local platform. */
export async function databaseUrl(option: string | undefined, localDefault: boolean): Promise<string> {
  const url = option ?? Deno.env.get("DB_URL");
  if (url) return url;
  if (!localDefault) throw new ImportFailure("No database. Set --db-url or DB_URL.");
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "--cwd", fileURLToPath(new URL("../..", import.meta.url)), "status"],
    stdout: "piped",
    stderr: "null",
  }).output();
  if (!success) {
    throw new ImportFailure("No database. Start the local platform (deno task dev), or set --db-url or DB_URL.");
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
