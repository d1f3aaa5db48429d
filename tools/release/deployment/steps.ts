// The steps of a deployment in their order. Each may be repeated: a step that is done changes nothing.
import { join } from "node:path";
import { loadPlaces } from "../../places/load.ts";
import { PINNED, runCli } from "../supabase_cli.ts";
import { databasePassword } from "./checks.ts";
import { storeInVault, withDatabase } from "./database.ts";
import { databaseAddress, type Settings } from "./settings.ts";
import { SMOKE_TEST, smokeTest } from "./smoke.ts";

export interface Step {
  readonly name: string;
  /** How to do the step by hand. */
  readonly command: string;
  /** What it sends. */
  readonly sends: readonly string[];
  /** Does the step and returns what it did. */
  run(): Promise<readonly string[]>;
}

export interface Plan {
  readonly settings: Settings;
  readonly root: string;
  /** Migrations that the database does not have. */
  readonly pending: readonly string[];
  readonly functions: readonly string[];
  readonly buckets: readonly string[];
}

export function stepsOf({ settings, root, pending, functions, buckets }: Plan): Step[] {
  const { project, siteUrl, redirectUrls, secrets } = settings;
  const files = pending.map((name) => `${name}.sql`);
  const env = {
    SUPABASE_ACCESS_TOKEN: settings.accessToken,
    SUPABASE_PROJECT_ID: project,
    SITE_URL: siteUrl,
    REDIRECT_URLS: redirectUrls,
    ...databasePassword(settings),
  };

  /** A step that is one command of the CLI. `shown` replaces values that a person sets in the shell. */
  function cli(name: string, args: string[], sends: string[], did: (output: string) => string[], shown = args): Step {
    return {
      name,
      command: `npx -y supabase@${PINNED} ${shown.join(" ")}`,
      sends,
      run: async () => did(await outputOf(args)),
    };
  }

  async function outputOf(args: string[]): Promise<string> {
    const { code, output } = await runCli(args, { folder: root, env });
    if (code !== 0) throw new Error(output.trim());
    return output;
  }

  const lines = (output: string, pattern: RegExp) => [...output.matchAll(pattern)].map((match) => match[1]!);
  const push = ["db", "push", "--db-url"];
  const setSecrets = ["secrets", "set", "--project-ref", project, "--env-file"];

  return [
    cli("link", ["link", "--project-ref", project], [], () => [`linked to ${project}`]),
    cli(
      "migrations",
      [...push, settings.databaseUrl],
      files.length === 0 ? ["nothing: the database has all migrations"] : files,
      (output) => {
        const applied = lines(output, /^Applying migration (\S+?\.sql)/gm);
        return applied.length === 0 ? ["nothing to apply"] : applied.map((file) => `applied ${file}`);
      },
      [...push, '"$SUPABASE_DB_URL"'],
    ),
    {
      name: "places",
      command: 'deno task places --db-url "$SUPABASE_DB_URL"',
      sends: ["the places of Japan (tools/places/data), unless this version is there"],
      run: async () => {
        const { places, version, isNew } = await withDatabase(
          databaseAddress(settings),
          (sql) => loadPlaces(sql, () => {}),
        );
        return [`${isNew ? "loaded" : "already there:"} ${places} places, version ${version}`];
      },
    },
    cli(
      "configuration",
      ["config", "push", "--project-ref", project],
      ["supabase/config.toml and the mails' templates", `SITE_URL=${siteUrl}`, `REDIRECT_URLS=${redirectUrls}`],
      (output) => {
        const parts = lines(output, /^Updating (\w+) service/gim);
        return parts.length === 0 ? ["nothing differs"] : [`updated ${parts.join(", ").toLowerCase()}`];
      },
    ),
    cli(
      "buckets",
      ["seed", "buckets", "--linked"],
      buckets.map((name) => `bucket ${name}`),
      (output) =>
        lines(output, /^((?:Creating|Updating) Storage bucket: .*)$/gim).map((line) =>
          line.toLowerCase().replace("storage ", "")
        ),
    ),
    {
      name: "secrets",
      command: `npx -y supabase@${PINNED} ${setSecrets.join(" ")} <file>`,
      sends: Object.keys(secrets).map((name) => `${name}=…`),
      run: async () => {
        const file = await Deno.makeTempFile({ prefix: "secrets-" }); // only this user can read it
        try {
          const text = Object.entries(secrets).map(([name, value]) => `${name}=${quoted(name, value)}\n`).join("");
          await Deno.writeTextFile(file, text);
          await outputOf([...setSecrets, file]);
        } finally {
          await Deno.remove(file);
        }
        return [`set ${Object.keys(secrets).join(", ")}`];
      },
    },
    cli(
      "functions",
      ["functions", "deploy", "--use-api", "--prune", "--project-ref", project],
      [`${functions.length} functions with supabase/functions/deno.json as their import map: ${functions.join(", ")}`],
      () => [`deployed ${functions.length} functions`],
    ),
    {
      name: "vault",
      command: "select vault.create_secret('<value>', '<name>'), or vault.update_secret",
      sends: [`project_url=${settings.apiUrl}`, "service_role_key=…"],
      run: async () => {
        const written = await withDatabase(
          databaseAddress(settings),
          (sql) => storeInVault(sql, { project_url: settings.apiUrl, service_role_key: settings.secretKey }),
        );
        return written.length === 0 ? ["nothing to write"] : [`wrote ${written.join(", ")}`];
      },
    },
    {
      name: "smoke test",
      command: "the requests below",
      sends: SMOKE_TEST,
      run: () => smokeTest(settings, root),
    },
  ];
}

/** A value as a line of an env file has it. */
function quoted(name: string, value: string): string {
  const text = value.replaceAll("\r", "").replaceAll("\n", "\\n");
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"') && !text.includes("\\")) return `"${text}"`;
  throw new Error(`${name} has both kinds of quotation marks. Set it by hand with \`supabase secrets set\`.`);
}

/** The names of the functions of a repository. */
export function functionNames(root: string): string[] {
  return [...Deno.readDirSync(join(root, "supabase/functions"))]
    .filter(({ name, isDirectory }) => isDirectory && !name.startsWith("_")).map(({ name }) => name).sort();
}
