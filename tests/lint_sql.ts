// Lints supabase/migrations: Postgres's own grammar and the language server's rules first, then the project's rules of
// tests/db/sql_rules.ts. Any finding fails.
import { migrations, sqlFindings } from "./db/sql_rules.ts";

const LANGUAGE_SERVER = "@postgres-language-server/cli@0.25.5";
const FOLDER = "supabase/migrations";

// npx, because one of the package's optional platform packages is not published and Deno then gives up on all of it.
const checked = await new Deno.Command("npx", {
  args: [
    "--yes",
    LANGUAGE_SERVER,
    "check",
    "--config-path=supabase",
    "--error-on-warnings",
    "--max-diagnostics=none",
    FOLDER,
  ],
  cwd: new URL("../", import.meta.url),
  env: { DO_NOT_TRACK: "1" },
  stdin: "null",
}).spawn().status;

const findings = migrations().flatMap(({ name, text }) => sqlFindings(name, text));
for (const finding of findings) console.error(`${FOLDER}/${finding}`);
console.log(`${findings.length === 0 ? "No" : findings.length} findings against the house rules`);
if (!checked.success || findings.length > 0) Deno.exit(1);
