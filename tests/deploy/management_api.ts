// A stand-in for Supabase's Management API and the storage of its project: it keeps what the CLI sends and answers as the real
// ones do.
import { strict as assert } from "node:assert";

/** The project that commands name. */
export const PROJECT_REF = "abcdefghijklmnopqrst";

export interface UploadedFunction {
  readonly metadata: {
    readonly entrypoint_path: string;
    readonly import_map_path: string;
    readonly verify_jwt: boolean;
  };
  /** Path in the project → content. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

type Json = Record<string, unknown>;

export interface StoredBucket {
  readonly id: string;
  readonly public: boolean;
  readonly file_size_limit: number;
  readonly allowed_mime_types: readonly string[];
}

/** All fields of the answer to a change of the auth configuration, which the CLI checks. */
const AUTH_CONFIG: Json = JSON.parse(await Deno.readTextFile(new URL("auth_config.json", import.meta.url)));

const STORAGE_CONFIG = {
  fileSizeLimit: 52_428_800,
  features: { imageTransformation: { enabled: false }, s3Protocol: { enabled: true } },
};

const POSTGREST_CONFIG = {
  db_schema: "public",
  db_extra_search_path: "public, extensions",
  max_rows: 500,
  db_pool: null,
  db_pool_acquisition_timeout: null,
  db_pool_max_lifetime: null,
  db_pool_max_idletime: null,
};

export class ManagementApi implements AsyncDisposable {
  /** What was deployed, by name. */
  readonly functions = new Map<string, UploadedFunction>();
  /** The names that became active together. */
  readonly activated: string[] = [];
  /** The functions that were deleted. */
  readonly deleted: string[] = [];
  readonly secrets = new Map<string, string>();
  /** What `config push` sent, by the last part of the path: auth, postgrest, storage. */
  readonly configuration = new Map<string, Json>();
  /** The buckets of the project's storage, by name. */
  readonly buckets = new Map<string, StoredBucket>();
  /** All requests, with REF for the project. */
  readonly requests: string[] = [];
  /** Requests that nothing here answers. */
  readonly unknown: string[] = [];
  /** The moment to which the database was restored, in seconds since 1970. */
  restored: number | undefined;
  /** Requests that are answered with this status. */
  readonly failures = new Map<string, number>();
  /** Called when functions became active. */
  onActivated: () => Promise<void> = () => Promise.resolve();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** `deployed`: functions that the project has already. */
  constructor(readonly token: string, readonly deployed: readonly string[] = []) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /** The profile with which the CLI speaks to this server instead of Supabase's. */
  profile(): string {
    const url = `http://127.0.0.1:${this.#server.addr.port}`;
    return `name: stand-in\napi_url: ${url}\ndashboard_url: ${url}\nproject_host: example.test\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  /** The requests that change something since the last call of this, each once, in order. */
  takeChanges(): string[] {
    const changes = this.requests.splice(0).filter((call) => !call.startsWith("GET "));
    return [...new Set(changes)];
  }

  /** The project's storage at https://REF.example.test/storage/v1. */
  async answerProject(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const call = `${request.method} ${url.pathname}`;
    const failure = this.#record(call);
    if (failure !== undefined) return new Response(null, { status: failure });
    // `link` looks which versions the services have.
    if (["GET /rest/v1/", "GET /auth/v1/health", "GET /storage/v1/version"].includes(call)) return new Response(null);
    if (call === "GET /storage/v1/bucket") {
      return Response.json([...this.buckets.values()].map((bucket) => ({ ...bucket, name: bucket.id })));
    }
    const [, changed] = call.match(/^PUT \/storage\/v1\/bucket\/([\w-]+)$/) ?? [];
    if (call === "POST /storage/v1/bucket" || changed !== undefined) {
      const sent = await request.json();
      const id: string = changed ?? sent.id ?? sent.name;
      this.buckets.set(id, { ...sent, id });
      return Response.json({ name: id, message: "Successfully updated" });
    }
    this.unknown.push(call);
    return new Response(null, { status: 404 });
  }

  #record(call: string): number | undefined {
    this.requests.push(call);
    return this.failures.get(call);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (request.headers.get("authorization") !== `Bearer ${this.token}`) return new Response(null, { status: 401 });
    const call = `${request.method} ${url.pathname.replace(PROJECT_REF, "REF")}`;
    const failure = this.#record(call);
    if (failure !== undefined) return Response.json({ message: "The stand-in fails" }, { status: failure });
    switch (call) {
      case "GET /v1/projects/REF":
        return Response.json(project());
      case "GET /v1/projects/REF/api-keys":
        return Response.json([{ name: "anon", api_key: "anon" }, { name: "service_role", api_key: "service" }]);
      case "GET /v1/projects/REF/config/storage":
        return Response.json(STORAGE_CONFIG);
      case "GET /v1/projects/REF/config/database/pooler":
        return Response.json([]);
      case "GET /v1/projects/REF/billing/addons":
        return Response.json({ selected_addons: [], available_addons: [] });
      case "GET /v2/projects/REF/config":
        return Response.json({ data: { type: "project_config", id: PROJECT_REF, attributes: this.#attributes() } });
      case "GET /v1/projects/REF/functions":
        return Response.json(this.deployed.map((slug) => functionRecord(slug)));
      case "POST /v1/projects/REF/functions/deploy":
        return await this.#upload(url.searchParams.get("slug") ?? "", request);
      case "PUT /v1/projects/REF/functions": {
        const functions: { slug: string }[] = await request.json();
        this.activated.push(...functions.map(({ slug }) => slug));
        await this.onActivated();
        return Response.json({ functions });
      }
      case "POST /v1/projects/REF/secrets":
        for (const { name, value } of await request.json()) this.secrets.set(name, value);
        return Response.json(null, { status: 201 });
      case "GET /v1/projects/REF/secrets":
        return Response.json([...this.secrets.keys()].map((name) => ({ name, value: "0".repeat(64) })));
      case "DELETE /v1/projects/REF/secrets":
        for (const name of await request.json()) this.secrets.delete(name);
        return Response.json(null);
      case "GET /v1/projects/REF/database/backups":
        return Response.json({
          region: "ap-northeast-1",
          walg_enabled: true,
          pitr_enabled: true,
          backups: [],
          physical_backup_data: {
            earliest_physical_backup_date_unix: 1767139200,
            latest_physical_backup_date_unix: 1767225600,
          },
        });
      case "POST /v1/projects/REF/database/backups/restore-pitr":
        this.restored = (await request.json()).recovery_time_target_unix;
        return Response.json(null, { status: 201 });
      case "GET /v1/projects/REF/config/database/postgres":
        return Response.json(this.configuration.get("postgres") ?? {});
      case "PUT /v1/projects/REF/config/database/postgres":
        return Response.json(await this.#configure("postgres", request));
      case "PATCH /v1/projects/REF/postgrest":
        return Response.json({ ...POSTGREST_CONFIG, ...await this.#configure("postgrest", request) });
      case "PATCH /v1/projects/REF/config/auth":
        return Response.json({ ...AUTH_CONFIG, ...await this.#configure("auth", request) });
      case "PATCH /v1/projects/REF/config/storage":
        await this.#configure("storage", request);
        return new Response(null, { status: 200 });
    }
    const [, removed] = call.match(/^DELETE \/v1\/projects\/REF\/functions\/([\w-]+)$/) ?? [];
    if (removed !== undefined) {
      this.deleted.push(removed);
      return new Response(null, { status: 200 });
    }
    this.unknown.push(call);
    return new Response(null, { status: 404 });
  }

  /** The configuration of the project: what was pushed, over that of a new project. */
  #attributes(): Json {
    const project = newProject();
    const fileSizeLimit = this.configuration.get("storage")?.["fileSizeLimit"];
    return {
      ...project,
      api: { ...project.api, ...this.configuration.get("postgrest") },
      auth: { ...project.auth, ...this.configuration.get("auth") },
      // The same value has another name when it is changed.
      storage: { file_size_limit: fileSizeLimit ?? project.storage.file_size_limit },
    };
  }

  async #upload(slug: string, request: Request): Promise<Response> {
    const form = await request.formData();
    const metadata = form.get("metadata");
    const files = form.getAll("file").filter((file) => file instanceof File);
    assert.equal(typeof metadata, "string");
    this.functions.set(slug, {
      metadata: JSON.parse(String(metadata)),
      files: new Map(await Promise.all(files.map(async (file) => [file.name, await file.bytes()] as const))),
    });
    return Response.json(functionRecord(slug), { status: 201 });
  }

  async #configure(service: string, request: Request): Promise<Json> {
    const change: Json = await request.json();
    this.configuration.set(service, { ...this.configuration.get(service), ...change });
    return change;
  }
}

function functionRecord(slug: string) {
  return {
    id: crypto.randomUUID(),
    slug,
    name: slug,
    status: "ACTIVE",
    version: 1,
    created_at: 1,
    updated_at: 1,
    verify_jwt: true,
    import_map: false,
  };
}

function project() {
  return {
    id: PROJECT_REF,
    ref: PROJECT_REF,
    name: "Parking",
    organization_id: "organization",
    organization_slug: "organization",
    region: "ap-northeast-1",
    created_at: "2026-01-01T00:00:00Z",
    status: "ACTIVE_HEALTHY",
    database: {
      host: `db.${PROJECT_REF}.example.test`,
      version: "17.6.1",
      postgres_engine: "17",
      release_channel: "ga",
    },
  };
}

/** The configuration of a project in which everything that matters is set otherwise than the repository wants it. */
function newProject() {
  return {
    api: POSTGREST_CONFIG,
    auth: {
      ...AUTH_CONFIG,
      site_url: "http://localhost:3000",
      uri_allow_list: "http://localhost:3000",
      disable_signup: true,
      jwt_exp: 604800,
      mailer_autoconfirm: true,
      mailer_secure_email_change_enabled: false,
      mailer_otp_exp: 86400,
      mailer_otp_length: 8,
      smtp_max_frequency: 1,
      password_min_length: 6,
      password_required_characters: "",
      security_update_password_require_reauthentication: false,
      security_manual_linking_enabled: true,
      security_refresh_token_reuse_interval: 0,
      refresh_token_rotation_enabled: false,
      external_email_enabled: true,
      external_anonymous_users_enabled: true,
      rate_limit_otp: 30,
      rate_limit_verify: 30,
    },
    storage: { file_size_limit: 52_428_800 },
    database: {},
    realtime: {},
    pooler: {},
  };
}
