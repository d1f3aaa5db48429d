// Every command of the CLI and every SQL statement on the pages of operations, run as it is written.
import { strict as assert } from "node:assert";
import { delimiter, join } from "node:path";
import { removeIfExists } from "../../local/files.ts";
import { ROOT } from "../../local/settings.ts";
import { CLI_ENVIRONMENT, cliCommand, PINNED } from "../../tools/release/supabase_cli.ts";
import { database } from "../support/database.ts";
import { git } from "../../tools/release/git.ts";
import { functionNames } from "../../tools/release/deployment/steps.ts";
import { ACCESS_TOKEN, ProjectCopy, SMALL_CALL } from "./cli.ts";
import { ManagementApi, PROJECT_REF } from "./management_api.ts";
import { ProjectHost } from "./project_host.ts";
import { RepositoryCopy } from "./repository_copy.ts";

type StandIn = "management API" | "storage" | "database" | "database and docker" | "containers.yml";

interface Expected {
  /** What the command runs against here. */
  readonly against: StandIn;
  /** A request or an output that shows that it did its work. */
  readonly shows: RegExp;
}

/** A command without an entry fails. */
const COMMANDS: Readonly<Record<string, Expected>> = {
  "link": { against: "management API", shows: /GET \/v1\/projects\/REF$/m },
  "db push": { against: "database", shows: /Remote database is up to date|Applying migration|Would push/ },
  "db dump": { against: "database and docker", shows: /pg_dump/ },
  "migration list": { against: "database", shows: /20260901000100.*20260901000100/ },
  "config push": { against: "management API", shows: /GET \/v2\/projects\/REF\/config$/m },
  "config diff": { against: "management API", shows: /GET \/v2\/projects\/REF\/config$/m },
  "seed buckets": { against: "storage", shows: /^(POST|PUT) \/storage\/v1\/bucket/m },
  "secrets set": { against: "management API", shows: /^POST \/v1\/projects\/REF\/secrets$/m },
  "secrets unset": { against: "management API", shows: /^DELETE \/v1\/projects\/REF\/secrets$/m },
  "secrets list": { against: "management API", shows: /^GET \/v1\/projects\/REF\/secrets$/m },
  "functions deploy": { against: "management API", shows: /^PUT \/v1\/projects\/REF\/functions$/m },
  "backups list": { against: "management API", shows: /^GET \/v1\/projects\/REF\/database\/backups$/m },
  "backups restore": {
    against: "management API",
    shows: /^POST \/v1\/projects\/REF\/database\/backups\/restore-pitr$/m,
  },
  "postgres-config update": {
    against: "management API",
    shows: /^PUT \/v1\/projects\/REF\/config\/database\/postgres$/m,
  },
  "start": { against: "containers.yml", shows: /supabase@\S+ start$/m },
  "status": { against: "containers.yml", shows: /supabase@\S+ status -o env > \.env$/m },
  "functions serve": { against: "containers.yml", shows: /supabase@\S+ functions serve/m },
};

const PAGES = join(ROOT, "docs/operations");

interface PageBlock {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** The blocks of code of all pages, without those that are files of their own. */
async function blocks(): Promise<PageBlock[]> {
  const found: PageBlock[] = [];
  for await (const { name } of Deno.readDir(PAGES)) {
    const text = await Deno.readTextFile(join(PAGES, name));
    for (const [, indent, language, body] of text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)) {
      const lines = body!.split("\n").map((line) => line.startsWith(indent!) ? line.slice(indent!.length) : line);
      found.push({ page: name, language: language!, text: lines.join("\n") });
    }
  }
  return found;
}

/** The lines of a shell that call the CLI, with line continuations joined. */
function cliLines(text: string): string[] {
  return [...text.replaceAll(/\\\n\s*/g, "").matchAll(/^npx -y supabase@.*$/gm)].map(([line]) => line);
}

/** The name of the command in a line. */
function nameOf(line: string): string {
  const words = line.split(/\s+/).slice(3);
  return Object.keys(COMMANDS).find((name) => words.slice(0, name.split(" ").length).join(" ") === name) ?? line;
}

/** Values for what a reader fills in. */
function filled(line: string): string {
  return line.replaceAll(/<[^>]+>/g, "value").replaceAll("=…", "=value").replaceAll(/\bREF\b/g, PROJECT_REF);
}

/** A shell whose npx is the pinned CLI, and whose docker only keeps its arguments. */
class Shell implements AsyncDisposable {
  readonly #bin = Deno.makeTempDirSync();

  constructor(readonly environment: Readonly<Record<string, string>>) {
    const cli = cliCommand().map((word) => `'${word}'`).join(" ");
    this.#program("npx", `[ "$2" = "supabase@${PINNED}" ] || exit 64\nshift 2\nexec ${cli} "$@"`);
    this.#program("docker", `echo "$@" >> "$SUPABASE_HOME.docker"`);
  }

  async run(line: string, folder: string): Promise<{ code: number; output: string }> {
    const log = `${this.environment["SUPABASE_HOME"]}.docker`;
    await Deno.writeTextFile(log, "");
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-euc", line],
      cwd: folder,
      env: {
        ...CLI_ENVIRONMENT,
        ...SMALL_CALL,
        ...this.environment,
        PATH: `${this.#bin}${delimiter}${Deno.env.get("PATH")}`,
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const decoder = new TextDecoder();
    const output = [decoder.decode(stdout), decoder.decode(stderr), await Deno.readTextFile(log)].join("\n");
    return { code, output };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Deno.remove(this.#bin, { recursive: true });
  }

  #program(name: string, text: string): void {
    Deno.writeTextFileSync(join(this.#bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
}

function expected(line: string): Expected {
  const found = COMMANDS[nameOf(line)];
  assert.ok(found !== undefined, `${line} has no entry in COMMANDS`);
  return found;
}

/**
 * Removes all functions but two: the CLI reads the code of each, and deploy_task.test.ts deploys them all. A single one
 * would be activated in another way.
 */
async function keepTwoFunctions(folder: string): Promise<void> {
  for (const name of functionNames(folder).filter((name) => !["health", "well-known"].includes(name))) {
    await Deno.remove(join(folder, "supabase/functions", name), { recursive: true });
  }
  const file = join(folder, "supabase/config.toml");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.replaceAll(/^\[functions\.(?!health\]|well-known\]).*\n(?:\w.*\n)*/gm, ""));
}

/** Everything that the commands reach, for a folder with the project. A command that does not do its work fails. */
async function withStandIns(
  folder: string,
  act: (run: (line: string, folder?: string) => Promise<string>, api: ManagementApi) => Promise<void>,
): Promise<void> {
  const home = await Deno.makeTempDir();
  const db = await database();
  try {
    await using api = new ManagementApi(ACCESS_TOKEN, ["left-over"]);
    await using host = await ProjectHost.start("example.test", (request) => api.answerProject(request));
    await Deno.writeTextFile(join(home, "profile.yaml"), api.profile());
    await using shell = new Shell({
      ...host.environment,
      SUPABASE_HOME: join(home, "cli"),
      SUPABASE_PROFILE: join(home, "profile.yaml"),
      SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
      SUPABASE_PROJECT_ID: PROJECT_REF,
      SUPABASE_DB_URL: db.url,
      SITE_URL: "https://park.example.com",
      REDIRECT_URLS: "https://park.example.com/**",
      S3_ENDPOINT: "https://s3.example.com",
    });
    await act(async (line, at = folder) => {
      api.requests.splice(0);
      const { code, output } = await shell.run(filled(line), at);
      assert.equal(code, 0, `${line}\n${output}`);
      assert.deepEqual(api.unknown, [], line);
      const seen = `${api.requests.join("\n")}\n${output}`;
      assert.match(seen, expected(line).shows, line);
      return seen;
    }, api);
  } finally {
    await db.close();
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("docs: every command of the CLI on a page runs as it is written, and does its work", async () => {
  const lines = new Set((await blocks()).flatMap(({ text }) => cliLines(text)));
  assert.ok(lines.size > 20, String(lines.size));
  const nightly = await Deno.readTextFile(join(ROOT, ".github/workflows/containers.yml"));
  const link = `npx -y supabase@${PINNED} link`;
  assert.ok(lines.has(link));
  assert.ok([...lines].some((line) => line.includes(" S3_SECRET_ACCESS_KEY=")));
  const ofRollback = new Set((await Promise.all(ROLLBACK.map((heading) => linesOf("rollback.md", heading)))).flat());
  await using project = await ProjectCopy.make();
  await keepTwoFunctions(project.folder);
  await withStandIns(project.folder, async (run, api) => {
    for (const line of new Set([link, ...lines]).difference(ofRollback)) {
      if (expected(line).against === "containers.yml") assert.match(nightly, expected(line).shows, line);
      else await run(line);
      if (nameOf(line) === "secrets set") {
        const named = [...line.matchAll(/ ([A-Z0-9_]+)=/g)].map(([, name]) => name!);
        assert.deepEqual([...api.secrets.keys()].sort(), named.sort(), line);
        api.secrets.clear();
      }
    }
    const linked = await Deno.readTextFile(join(project.folder, "supabase/.temp/project-ref"));
    assert.equal(linked.trim(), PROJECT_REF);
  });
  const names = new Set([...lines].map(nameOf));
  assert.deepEqual(Object.keys(COMMANDS).filter((name) => !names.has(name)), [], "entries without a command");
});

Deno.test("docs: every SQL statement on a page of operations runs", async () => {
  const db = await database();
  try {
    for (const { page, language, text } of await blocks()) {
      // The examples of schema changes are applied in schema_changes.test.ts.
      if (language !== "sql" || page === "schema_changes.md") continue;
      const rolledBack = new Error("Rolled back");
      await db.sql.begin(async (sql) => {
        await sql.unsafe(text.replaceAll(/'<[^']+>'/g, "'value'"));
        throw rolledBack;
      }).catch((error) => {
        if (error !== rolledBack) throw new Error(`${page}: ${error.message}\n${text}`);
      });
    }
  } finally {
    await db.close();
  }
});

/** The headings of rollback.md whose commands are all in the test of a rollback. */
const ROLLBACK = ["Functions", "Migrations", "Settings", "Configuration"];

/** The commands in the shell blocks of a heading of a page. */
async function linesOf(page: string, heading: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(PAGES, page));
  const section = text.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, body]) => body!.trim().split("\n"));
}

Deno.test("rollback: the steps of the page bring back functions, schema, settings and configuration", async (t) => {
  await using copy = await RepositoryCopy.make();
  await keepTwoFunctions(copy.folder);
  await copy.commit("two functions");
  const before = (await git(copy.folder, "rev-parse", "HEAD")).trim();
  await copy.edit("supabase/functions/health/index.ts", (text) => `// The newer commit.\n${text}`);
  await copy.edit("supabase/config.toml", (text) => text.replace("jwt_expiry = 3600", "jwt_expiry = 1800"));
  const added = "supabase/migrations/20990101000000_notes.sql";
  await Deno.writeTextFile(join(copy.folder, added), "create table private.notes (id integer primary key);\n");
  await copy.commit("newer");
  const worktree = `${copy.folder}-last-good`;
  try {
    await withStandIns(copy.folder, async (run, api) => {
      const deployed = () =>
        new TextDecoder().decode(api.functions.get("health")!.files.get("supabase/functions/health/index.ts")!);
      // The project has what the newer commit has.
      await run(`npx -y supabase@${PINNED} db push --db-url "$SUPABASE_DB_URL"`);
      api.configuration.set("auth", { jwt_exp: 1800 });

      await t.step("settings: a former value, and the default, then the functions", async () => {
        for (const line of await linesOf("rollback.md", "Settings")) {
          await run(line);
          if (line.includes(" secrets set ")) assert.equal(api.secrets.get("NAME"), "value");
        }
        assert.equal(api.secrets.has("NAME"), false);
        assert.match(deployed(), /^\/\/ The newer commit\./);
      });

      await t.step("functions: those of the last good commit, from a folder of its own", async () => {
        const [checkout, enter, ...commands] = await linesOf("rollback.md", "Functions");
        assert.equal(enter, "cd ../last-good");
        await git(
          copy.folder,
          ...checkout!.replace("../last-good", worktree).replace("<commit>", before).split(" ").slice(1),
        );
        for (const line of commands) await run(line, worktree);
        assert.doesNotMatch(deployed(), /The newer commit/);
      });

      await t.step("migrations: the older folder applies nothing, the rollback is a new file", async () => {
        await assert.rejects(
          run(`npx -y supabase@${PINNED} db push --db-url "$SUPABASE_DB_URL"`, worktree),
          /20990101000000/,
        );
        const back = "supabase/migrations/20990101000001_without_notes.sql";
        await Deno.writeTextFile(join(copy.folder, back), "drop table private.notes;\n");
        const seen: string[] = [];
        for (const line of await linesOf("rollback.md", "Migrations")) seen.push(await run(line));
        const [list, dryRun, push] = seen;
        const migrations = Array.from(Deno.readDirSync(join(copy.folder, "supabase/migrations")), ({ name }) => name);
        const applied = migrations.map((name) => name.split("_")[0]!).filter((version) => version !== "20990101000001");
        for (const version of applied) assert.match(list!, new RegExp(`${version}.*${version}`));
        assert.match(list!, /20990101000001/);
        assert.doesNotMatch(list!, /warn/i);
        assert.match(dryRun!, /20990101000001_without_notes\.sql/);
        assert.match(push!, /Applying migration 20990101000001_without_notes\.sql/);
      });

      await t.step("configuration: the file of the older commit is pushed", async () => {
        await git(copy.folder, "checkout", before, "--", "supabase/config.toml");
        for (const line of await linesOf("rollback.md", "Configuration")) await run(line);
        assert.equal(api.configuration.get("auth")?.["jwt_exp"], 3600);
      });
    });
  } finally {
    await removeIfExists(worktree);
  }
});
