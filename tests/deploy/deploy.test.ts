// The documented deployment, by the CLI itself.
import { strict as assert } from "node:assert";
import { dirname, join } from "node:path";
import { readConfig } from "../../local/config.ts";
import { FunctionRunner } from "../../local/functions/runner.ts";
import { ROOT } from "../../local/settings.ts";
import { database } from "../support/database.ts";
import { hostedDeno } from "../support/hosted_deno.ts";
import { stack } from "../support/stack.ts";
import { PINNED } from "../../tools/release/supabase_cli.ts";
import { ACCESS_TOKEN, documented, ProjectCopy } from "./cli.ts";
import { ManagementApi, type UploadedFunction } from "./management_api.ts";

/** The next major version of the CLI; it must take the project as it is. */
const NEXT_CLI = "3.1.0";

const SITE_URL = "https://park.example.com";
const REDIRECT_URLS = "https://park.example.com/**,parking://auth";

async function functionNames(): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(ROOT, "supabase/functions")));
  return entries.filter(({ name, isDirectory }) => isDirectory && !name.startsWith("_")).map(({ name }) => name).sort();
}

Deno.test("functions deploy: every function is uploaded with its import map and starts under the hosted runtime's Deno", async () => {
  await using project = await ProjectCopy.make();
  await using api = new ManagementApi(ACCESS_TOKEN, ["health", "left-over"]);
  const { code, output } = await project.run(await documented("functions", "deploy"), { api });
  assert.equal(code, 0, output);
  assert.deepEqual(api.unknown, []);
  const names = await functionNames();
  assert.deepEqual([...api.functions.keys()].sort(), names);
  assert.deepEqual(api.activated.toSorted(), names);
  assert.deepEqual(api.deleted, ["left-over"]);
  const deno = await hostedDeno();
  const folder = await Deno.makeTempDir();
  for (const [name, uploaded] of api.functions) await startsAlone(deno, folder, name, uploaded);
});

/**
 * Starts the function from nothing but what was uploaded, and sends it a request. The folder is removed at the end. All
 * functions have the same one: Deno keeps what it made of a file by its path.
 */
async function startsAlone(
  deno: string,
  folder: string,
  name: string,
  { metadata, files }: UploadedFunction,
): Promise<void> {
  assert.equal(metadata.verify_jwt, false, name);
  assert.equal(metadata.entrypoint_path, `supabase/functions/${name}/index.ts`);
  assert.ok(
    files.has(metadata.import_map_path),
    `${name}: its import map "${metadata.import_map_path}" is not uploaded`,
  );
  for (const [path, content] of files) {
    await Deno.mkdir(join(folder, dirname(path)), { recursive: true });
    await Deno.writeFile(join(folder, path), content);
  }
  assert.equal(metadata.verify_jwt, false, name);
  const log: string[] = [];
  const { apiUrl, anonKey, serviceRoleKey, jwtSecret } = stack();
  const runner = await FunctionRunner.start({
    deno,
    source: join(folder, "supabase/functions"),
    folder: join(folder, "entries"),
    environment: {
      SUPABASE_URL: apiUrl,
      SUPABASE_ANON_KEY: anonKey,
      SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
      JWT_SECRET: jwtSecret,
    },
    importMaps: { [name]: join(folder, metadata.import_map_path) },
    log: (line) => log.push(line),
  });
  try {
    const url = `${apiUrl}/functions/v1/${name}`;
    // Every function has its own words for a path that it does not know; `health` has something better to say.
    const path = name === "health" ? "" : "/no/such/path";
    const answer = await runner.handle(new Request(url + path), name, path, "127.0.0.1");
    const body = await answer.text();
    assert.equal(answer.status, name === "health" ? 200 : 404, `${name}: ${body}\n${log.join("\n")}`);
    if (name !== "health") assert.equal(JSON.parse(body).error.code, "not_found", name);
  } finally {
    await runner.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The mails as the hosted project has them. */
async function mailTemplates(): Promise<Record<string, string>> {
  const { auth: { templates } } = await readConfig();
  return Object.fromEntries(
    Object.entries(templates).flatMap(([name, { subject, content }]) => [
      [`mailer_subjects_${name}`, subject],
      [`mailer_templates_${name}_content`, content],
    ]),
  );
}

for (const version of [PINNED, NEXT_CLI]) {
  Deno.test(`config push: CLI ${version} sends safe values and has no warning`, async () => {
    await using project = await ProjectCopy.make();
    await using api = new ManagementApi(ACCESS_TOKEN);
    const { code, output } = await project.run(await documented("config", "push"), {
      api,
      version,
      env: { SITE_URL, REDIRECT_URLS },
    });
    assert.equal(code, 0, output);
    assert.deepEqual(api.unknown, []);
    assert.doesNotMatch(output, /warn|deprecated|could not be pushed|not managed/i);
    assert.deepEqual(api.configuration.get("auth"), {
      site_url: SITE_URL,
      uri_allow_list: REDIRECT_URLS,
      disable_signup: false,
      external_anonymous_users_enabled: false,
      jwt_exp: 3600,
      mailer_autoconfirm: false,
      mailer_otp_exp: 3600,
      mailer_otp_length: 6,
      mailer_secure_email_change_enabled: true,
      mfa_max_enrolled_factors: 10,
      mfa_totp_enroll_enabled: true,
      mfa_totp_verify_enabled: true,
      password_min_length: 8,
      password_required_characters: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
      rate_limit_otp: 50,
      rate_limit_verify: 50,
      refresh_token_rotation_enabled: true,
      security_manual_linking_enabled: false,
      security_refresh_token_reuse_interval: 10,
      security_update_password_require_reauthentication: true,
      smtp_max_frequency: 60,
      ...await mailTemplates(),
    });
    assert.deepEqual(api.configuration.get("postgrest"), {
      db_schema: "api",
      db_extra_search_path: "",
      max_rows: 1000,
    });
    assert.deepEqual(api.configuration.get("storage"), { fileSizeLimit: 10_485_760 });
  });
}

Deno.test("db push: new migrations are applied, the seed is not", async () => {
  await using project = await ProjectCopy.make();
  const db = await database();
  try {
    await Deno.writeTextFile(
      join(project.folder, "supabase/migrations/20991231235959_later.sql"),
      "create table private.later (id integer primary key);",
    );
    await db.sql`delete from supabase_migrations.seed_files`;
    const [before] = await db.sql`select count(*)::integer as lots from public.parking_lots`;
    const words = (await documented("db", "push")).map((word) => word === '"$SUPABASE_DB_URL"' ? db.url : word);
    const { code, output } = await project.run(words, {});
    assert.equal(code, 0, output);
    assert.match(output, /Applying migration 20991231235959_later\.sql/);
    const [after] = await db.sql`
      select to_regclass('private.later') is not null as applied, (select count(*) from public.parking_lots)::integer as lots`;
    assert.deepEqual({ ...after }, { applied: true, lots: before!["lots"] });
  } finally {
    await db.close();
  }
});

Deno.test("migrations: every name begins with a time that exists", async () => {
  for await (const { name } of Deno.readDir(join(ROOT, "supabase/migrations"))) {
    const [, year, month, day, hour, minute, second] =
      name.match(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_[a-z][a-z0-9_]*\.sql$/) ?? [];
    const time = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
    assert.ok(!Number.isNaN(Date.parse(time)) && new Date(time).toISOString() === time, name);
  }
});
