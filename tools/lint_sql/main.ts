// Lints the SQL of the schema: Postgres's own grammar and the language server's rules first, then the project's rules of
// tools/lint_sql/rules.ts. Any finding fails, advice does not.
import { allSql, sqlAdvice, sqlFindings } from "./rules.ts";

const LANGUAGE_SERVER = "@postgres-language-server/cli@0.25.5";
const files = allSql();

// npx, because one of the package's optional platform packages is not published and Deno then gives up on all of it.
const checked = await new Deno.Command("npx", {
  args: [
    "--yes",
    LANGUAGE_SERVER,
    "check",
    "--config-path=supabase",
    "--error-on-warnings",
    "--max-diagnostics=none",
    ...files.map(({ name }) => name),
  ],
  cwd: new URL("../../", import.meta.url),
  env: { DO_NOT_TRACK: "1" },
  stdin: "null",
}).spawn().status;

const findings = files.flatMap(sqlFindings);
for (const finding of findings) console.error(finding);
for (const advice of files.flatMap(sqlAdvice)) console.log(`Advice: ${advice}. Consider splitting it.`);
console.log(`${findings.length === 0 ? "No" : findings.length} findings against the house rules`);
if (!checked.success) console.error("The language server has findings: they stand above");
if (!checked.success || findings.length > 0) Deno.exit(1);
