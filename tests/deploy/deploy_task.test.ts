// `task deploy` from a clean clone: a new project, its updates, and a deployment that stops in its middle. The Management API
// and storage are stand-ins; the database, the API and Realtime are those of a local platform.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { type Platform, startPlatform } from "../../local/platform.ts";
import { removeCrashed, startDatabase } from "../../local/postgres/database.ts";
import type { PostgresServer } from "../../local/postgres/server.ts";
import { functionsDeno, PUBLISHABLE_KEY, ROOT, SERVICE_ROLE_KEY, STATE } from "../../local/settings.ts";
import { freePort } from "../../local/state.ts";
import { functionNames } from "../../tools/release/deployment/steps.ts";
import { withDatabase } from "../../tools/release/deployment/database.ts";
import { PartOfMigrations } from "../../tools/release/drift.ts";
import { postgresFolder } from "../../tools/packages/postgres.ts";
import { git } from "../../tools/release/git.ts";
import { runCli } from "../../tools/release/supabase_cli.ts";
import { makeFolder, placeData, removeData } from "../support/built_data.ts";
import { ACCESS_TOKEN, SMALL_CALL } from "./cli.ts";
import { ManagementApi, PROJECT_REF } from "./management_api.ts";
import { ProjectHost } from "./project_host.ts";
import { RepositoryCopy } from "./repository_copy.ts";

const CONFIGURATION = [
  "PATCH /v1/projects/REF/postgrest",
  "PATCH /v1/projects/REF/config/auth",
  "PATCH /v1/projects/REF/config/storage",
];
const NEW_BUCKETS = ["POST /storage/v1/bucket"];
const BUCKETS = ["PUT /storage/v1/bucket/assets", "PUT /storage/v1/bucket/assets-private"];
const SECRETS = ["POST /v1/projects/REF/secrets"];
const FUNCTIONS = ["POST /v1/projects/REF/functions/deploy", "PUT /v1/projects/REF/functions"];
/** What a deployment sends in which no value of the configuration differs. */
const UNCHANGED = [...BUCKETS, ...SECRETS, ...FUNCTIONS];

const S3_SECRET = "the-secret-of-the-object-storage";

/** A project of Supabase: an empty database, and an API that answers as soon as functions are deployed. */
class Project implements AsyncDisposable {
  #platform: Promise<Platform> | undefined;

  private constructor(
    readonly api: ManagementApi,
    readonly host: ProjectHost,
    readonly server: PostgresServer,
    readonly port: number,
    readonly folder: string,
    readonly name: string,
  ) {
    api.onActivated = async () => {
      this.#platform ??= this.#start();
      await this.#platform;
    };
  }

  static async make(): Promise<Project> {
    await removeCrashed("project");
    const { root: folder } = await PartOfMigrations.make([]);
    const name = `project-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
    await placeData(name);
    const server = await startDatabase({ name, root: folder, durable: false, withSeed: false, onStep: () => {} });
    const api = new ManagementApi(ACCESS_TOKEN);
    const host = await ProjectHost.start("example.test", (request) => api.answerProject(request));
    const project = new Project(api, host, server, freePort(0)!, folder, name);
    await Deno.writeTextFile(join(folder, "profile.yaml"), api.profile());
    return project;
  }

  get databaseUrl(): string {
    const url = new URL(this.server.url("postgres"));
    url.searchParams.set("application_name", `deploy-${PROJECT_REF}`);
    return url.href;
  }

  /** What an operator sets. */
  get environment(): Record<string, string> {
    return {
      ...this.host.environment,
      SUPABASE_PROFILE: join(this.folder, "profile.yaml"),
      SUPABASE_HOME: join(this.folder, "home"),
      SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN,
      SUPABASE_DB_URL: this.databaseUrl,
      SUPABASE_API_URL: `http://127.0.0.1:${this.port}`,
      SUPABASE_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
      SUPABASE_SECRET_KEY: SERVICE_ROLE_KEY,
      SITE_URL: "https://park.example.com",
      REDIRECT_URLS: "https://park.example.com/**,parking://auth",
      S3_ENDPOINT: "https://s3.example.com",
      S3_ACCESS_KEY_ID: "the-id",
      S3_SECRET_ACCESS_KEY: S3_SECRET,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#platform)?.stop();
    await this.server.stop();
    await this.host[Symbol.asyncDispose]();
    await this.api[Symbol.asyncDispose]();
    await removeData(this.name);
    await Deno.remove(this.folder, { recursive: true });
  }

  #start(): Promise<Platform> {
    const urls = Promise.resolve({ primary: this.server.url() });
    return startPlatform({
      port: this.port,
      name: this.name,
      durable: false,
      authRate: 1_000_000,
      functionsDeno: functionsDeno(),
      supervisor: {
        pid: Deno.pid,
        databases: { problems: {}, start: () => urls, rebuild: () => urls, stop: () => Promise.resolve() },
      },
      onStep: () => {},
      log: () => {},
    });
  }
}

let cloned: Promise<RepositoryCopy> | undefined;

/** The clone of all tests: this version with a tag. */
const clone = (): Promise<RepositoryCopy> => cloned ??= newClone();

Deno.test.afterAll(async () => await (await cloned)?.[Symbol.asyncDispose]());

async function newClone(): Promise<RepositoryCopy> {
  const copy = await RepositoryCopy.make(await makeFolder());
  await copy.tag("9.0.0");
  // The project's host is reached by a proxy that lets no download through: those of the CLI and of Postgres are here.
  const { code, output } = await runCli(["--version"], { folder: copy.folder });
  assert.equal(code, 0, output);
  const state = join(copy.folder, ".local");
  await Deno.mkdir(state);
  await Deno.symlink(postgresFolder(STATE), postgresFolder(state));
  return copy;
}

interface Outcome {
  readonly code: number;
  readonly output: string;
  /** The requests that changed something, each once. */
  readonly changes: readonly string[];
}

async function deploy(copy: RepositoryCopy, project: Project, args: string[] = [], env = {}): Promise<Outcome> {
  project.api.takeChanges();
  const { code, output } = await copy.deno(
    ["task", "--quiet", "deploy", "--project", PROJECT_REF, ...args],
    { ...project.environment, ...SMALL_CALL, ...env },
  );
  for (const secret of [ACCESS_TOKEN, SERVICE_ROLE_KEY, S3_SECRET]) assert.ok(!output.includes(secret), output);
  assert.deepEqual(project.api.unknown, []);
  return { code, output, changes: project.api.takeChanges() };
}

/** The lines that a deployment printed for a step. */
function said(output: string, step: string): string[] {
  const [, lines = ""] = output.match(new RegExp(`^\\d\\. ${step}\\n((?: {3}.*\\n)*)`, "m")) ?? [];
  return lines.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

Deno.test("task deploy: what is missing is named before anything is sent", async () => {
  const copy = await clone();
  await using api = new ManagementApi(ACCESS_TOKEN);
  const empty = Object.fromEntries(
    ["SUPABASE_ACCESS_TOKEN", "SUPABASE_DB_URL", "SITE_URL", "REDIRECT_URLS", "S3_ENDPOINT"].map((name) => [name, ""]),
  );
  const run = (args: string[], env: Record<string, string>) =>
    copy.deno(["task", "--quiet", "deploy", ...args], { ...empty, ...env });

  assert.match((await run([], {})).output, /^Usage: deno task deploy --project <ref>/m);
  assert.match((await run(["--project", PROJECT_REF, "--force"], {})).output, /^Usage: /m);

  await Deno.writeTextFile(join(copy.folder, "note.txt"), "");
  await git(copy.folder, "tag", "--delete", "v9.0.0");
  const { code, output } = await run(["--project", PROJECT_REF], {
    SUPABASE_DB_URL: "postgresql://postgres@127.0.0.1/postgres",
  });
  assert.equal(code, 1);
  for (
    const problem of [
      "Commit or remove these changes first:\n?? note.txt",
      "The commit has no version tag.",
      "SUPABASE_ACCESS_TOKEN is not set: ",
      "SITE_URL is not set: ",
      `SUPABASE_DB_URL does not name the project ${PROJECT_REF}.`,
      "Nothing was sent.",
    ]
  ) assert.ok(output.includes(problem), `${problem}\n${output}`);
  await Deno.remove(join(copy.folder, "note.txt"));
  const untagged = await run(["--project", PROJECT_REF, "--untagged"], { SITE_URL: "env(SITE_URL)" });
  assert.doesNotMatch(untagged.output, /version tag|Commit or remove/);
  assert.match(untagged.output, /SITE_URL is not an address/);
  await copy.tag("9.0.0");
  assert.deepEqual(api.requests, []);
});

Deno.test("task deploy: a new project, its updates, and a deployment that stops in its middle", async (t) => {
  await using project = await Project.make();
  const copy = await clone();
  const { api } = project;
  const migrations = [...Deno.readDirSync(join(ROOT, "supabase/migrations"))].map(({ name }) => name).sort();
  const functions = functionNames(ROOT);

  await t.step("--dry-run prints each step with its command, and sends nothing", async () => {
    const { code, output, changes } = await deploy(copy, project, ["--dry-run"]);
    assert.equal(code, 0, output);
    assert.deepEqual([changes, api.requests], [[], []]);
    const steps = [...output.matchAll(/^\d\. (.*)$/gm)].map((match) => match[1]);
    assert.deepEqual(steps, [
      "link",
      "migrations",
      "places",
      "configuration",
      "buckets",
      "secrets",
      "functions",
      "vault",
      "smoke test",
    ]);
    assert.match(output, /npx -y supabase@\S+ seed buckets --linked\n {3}- bucket assets\n/);
    for (const name of migrations) assert.ok(output.includes(`   - ${name}\n`), output);
    assert.ok(output.includes("   - S3_SECRET_ACCESS_KEY=…\n"), output);
    await withDatabase(project.databaseUrl, async (sql) => {
      const [row] = await sql`select to_regnamespace('api') is null as "isEmpty"`;
      assert.deepEqual({ ...row }, { isEmpty: true });
    });
  });

  await t.step("a new project: every step is done, and the smoke test leaves no user", async () => {
    const { code, output, changes } = await deploy(copy, project, [], { BUN_JSC_useGC: "1" });
    assert.equal(code, 0, output);
    assert.deepEqual(changes, [...CONFIGURATION, ...NEW_BUCKETS, ...SECRETS, ...FUNCTIONS]);
    assert.deepEqual(said(output, "migrations"), migrations.map((name) => `applied ${name}`));
    assert.deepEqual(said(output, "smoke test").length, 8);
    assert.match(said(output, "places")[0]!, /^loaded \d{6} places, version /);
    assert.match(output, /^Deployed to /m);
    assert.equal(api.configuration.get("auth")?.["site_url"], "https://park.example.com");
    assert.deepEqual([...api.buckets.keys()].sort(), ["assets", "assets-private"]);
    assert.equal(api.buckets.get("assets-private")?.public, false);
    assert.equal(api.secrets.get("S3_SECRET_ACCESS_KEY"), S3_SECRET);
    assert.deepEqual([...api.functions.keys()].sort(), functions);
    for (const [name, { metadata, files }] of api.functions) assert.ok(files.has(metadata.import_map_path), name);
    await withDatabase(project.databaseUrl, async (sql) => {
      const [row] = await sql`
        select (select count(*)::integer from auth.users) as users,
          (select count(*)::integer from vault.secrets where name in ('project_url', 'service_role_key')) as secrets`;
      assert.deepEqual({ ...row }, { users: 0, secrets: 2 });
    });
  });

  await t.step(
    "a migration, a function, a secret and a setting of config.toml changed: each arrives, and a failure is repaired by a second run",
    async () => {
      await Deno.writeTextFile(
        join(copy.folder, "supabase/migrations/20990101000000_notes.sql"),
        "create table private.notes (id integer primary key);\nalter table private.notes enable row level security;\n",
      );
      await copy.edit("supabase/functions/health/index.ts", (text) => `// Deployed again.\n${text}`);
      await copy.edit("supabase/config.toml", (text) => text.replace("jwt_expiry = 3600", "jwt_expiry = 1800"));
      await copy.commit("a migration, a function and a setting");
      await copy.tag("9.1.0");
      api.failures.set("POST /v1/projects/REF/secrets", 500);
      const stopped = await deploy(copy, project, [], { GEOCODER: "gsi" });
      api.failures.clear();
      assert.equal(stopped.code, 1);
      assert.match(stopped.output, /^The step "secrets" failed:$/m);
      assert.match(
        stopped.output,
        /^Done: link, migrations, places, configuration, buckets\. Not done: secrets, functions, /m,
      );
      assert.match(stopped.output, /run the same command again/);
      assert.deepEqual(said(stopped.output, "migrations"), ["applied 20990101000000_notes.sql"]);
      assert.deepEqual(said(stopped.output, "configuration"), ["updated auth"]);
      assert.equal(api.configuration.get("auth")?.["jwt_exp"], 1800);
      assert.deepEqual(stopped.changes, ["PATCH /v1/projects/REF/config/auth", ...BUCKETS, ...SECRETS]);

      // Every step is repeated; what is there already is not sent again.
      const { code, output, changes } = await deploy(copy, project, [], { GEOCODER: "gsi" });
      assert.equal(code, 0, output);
      assert.deepEqual(said(output, "migrations"), ["nothing to apply"]);
      assert.deepEqual(said(output, "configuration"), ["nothing differs"]);
      assert.deepEqual(said(output, "vault"), ["nothing to write"]);
      assert.deepEqual(changes, UNCHANGED);
      const sent = api.functions.get("health")!.files.get("supabase/functions/health/index.ts")!;
      assert.match(new TextDecoder().decode(sent), /^\/\/ Deployed again\./);
      assert.equal(api.secrets.get("GEOCODER"), "gsi");
    },
  );

  await t.step("an applied migration was edited, or the schema was changed by hand: nothing is sent", async () => {
    await copy.edit("supabase/migrations/20990101000000_notes.sql", (text) => `${text}select 1;\n`);
    await copy.commit("an edit");
    const edited = await deploy(copy, project, ["--untagged"]);
    assert.equal(edited.code, 1);
    assert.match(edited.output, /The migration 20990101000000_notes was changed after it was applied\./);
    await git(copy.folder, "reset", "--quiet", "--hard", "HEAD~1");
    await withDatabase(project.databaseUrl, (sql) => sql`alter table private.notes add column more integer`);
    const drifted = await deploy(copy, project);
    assert.equal(drifted.code, 1);
    assert.match(drifted.output, /Extra: column private\.notes\.more\./);
    assert.match(drifted.output, /Nothing was sent\./);
    assert.deepEqual([edited.changes, drifted.changes], [[], []]);
  });
});
