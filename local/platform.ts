// The local platform: gateway, database, Data API, auth, functions, storage, jobs and Realtime, started in order and
// stopped in reverse.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SamplePerson } from "../tools/seed/people/sample_people.ts";
import { Auth } from "./auth/auth.ts";
import { Mailbox } from "./auth/mailbox.ts";
import { authConfig, type Config, readConfig } from "./config.ts";
import type { ReplicaOptions } from "./postgres/database.ts";
import { asUser, type Databases, type DatabaseUrls, LocalDatabases } from "./postgres/databases.ts";
import { surviveDriverFaults } from "./postgres/driver_faults.ts";
import { removeIfExists } from "./files.ts";
import { fetchPackages } from "./functions/packages.ts";
import { FunctionRunner } from "./functions/runner.ts";
import { functionSecrets } from "./functions/secrets.ts";
import { applications } from "./gateway/applications.ts";
import { listen } from "./gateway/gateway.ts";
import { homePage } from "./gateway/home.ts";
import { PUBLIC_JWK } from "./gateway/tokens.ts";
import { Balancer } from "./rest/balance.ts";
import { Rest } from "./rest/rest.ts";
import { Jobs } from "./jobs/jobs.ts";
import { addSamplePeople } from "./people.ts";
import { type Providers, startProviders } from "./standins/providers.ts";
import { RealtimeProxy } from "./realtime/proxy.ts";
import { superviseRealtime } from "./realtime/supervisor.ts";
import {
  type AuthRules,
  FUNCTIONS,
  type JwtAlgorithm,
  listenAddress,
  ROOT,
  S3_BUCKET,
  S3_PRIVATE_BUCKET,
  SECRET_KEY,
  STATE,
  type Status,
  status,
} from "./settings.ts";
import type { RunningPlatform } from "./state.ts";
import { Storage } from "./storage/storage.ts";
import type { Supervisor } from "./supervisor.ts";
import { withTimeout } from "./timeout.ts";

export interface PlatformOptions {
  /** The gateway's port; 0 for any free one. */
  readonly port: number;
  /** The header that carries the client's address, where a trusted proxy sets it. */
  readonly addressHeader?: string | undefined;
  /** The name of this platform's folder under the local state; by default the gateway's port. */
  readonly name?: string;
  /** False if the data may be lost in a crash. */
  readonly durable: boolean;
  /** Sign-ins, sign-ups and codes a minute and address. */
  readonly authRate: number;
  /** The rules of accounts; relaxed by default. */
  readonly authRules?: AuthRules;
  /** The host name by which clients reach the platform; 127.0.0.1 by default. */
  readonly host?: string;
  /** The algorithm of access tokens; ES256 by default. */
  readonly jwtAlgorithm?: JwtAlgorithm;
  /** Whether Realtime rejects public channels; false by default. */
  readonly realtimePrivateOnly?: boolean;
  /** The Deno that runs the functions. */
  readonly functionsDeno: string;
  /** Settings of the functions in place of the platform's own; an empty one is none. */
  readonly functionSettings?: Readonly<Record<string, string>>;
  /** Settings of a read replica for reads of the Data API; none by default. */
  readonly replica?: ReplicaOptions | undefined;
  /** A database to copy the migrated and seeded one to, for tests that clone it. */
  readonly template?: string;
  /** Whether search in natural language calls the stand-in's models, whose responses a test scripts. */
  readonly withAiModels?: boolean;
  /** Whether a database without users gets the sample people; false by default. */
  readonly withPeople?: boolean;
  /** Receives the steps of the platform. */
  readonly onStep: (line: string) => void;
  /** Receives the output of the functions, and errors. */
  readonly log: (line: string) => void;
  /** Called by `deno task stop`. */
  readonly onStop?: () => void;
  /** The databases, if another process has them; it is the one that `deno task stop` waits for. */
  readonly supervisor?: { readonly pid: number; readonly databases: Databases };
}

export interface Platform {
  readonly status: Status;
  /** The sample people who can sign in. */
  readonly people: readonly SamplePerson[];
  /** All variables that the functions can read. */
  readonly functionEnvironment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The time for running requests to finish when the platform stops. */
const STOP_TIMEOUT_MS = 3_000;
/** The time that the platform waits for the realtime server at start. */
const REALTIME_TIMEOUT_MS = 10_000;

interface Services {
  readonly urls: DatabaseUrls;
  readonly rest: Balancer;
  readonly auth: Auth;
  readonly functions: FunctionRunner;
  readonly storage: Storage;
  readonly realtime: Realtime;
  readonly providers: Providers;
}

/** The realtime server's process, and the proxy through which clients reach it. */
interface Realtime {
  readonly process: Supervisor;
  readonly proxy: RealtimeProxy;
}

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { onStep, log } = options;
  surviveDriverFaults(log);
  let services: Services | undefined;
  let jobs: Jobs | undefined;
  let people: readonly SamplePerson[] = [];
  let resetting: Promise<Response> | undefined;
  let stopping = false;
  const host = options.host ?? "127.0.0.1";
  const gateway = listen(
    { hostname: listenAddress(host), port: options.port, host, addressHeader: options.addressHeader, log },
    (request, url) => control(request, url),
  );
  const name = options.name ?? String(gateway.port);
  const databases = options.supervisor?.databases ?? new LocalDatabases({ ...options, name });

  async function raise(): Promise<Status> {
    people = [];
    services = await startServices(options, databases, name, gateway.port, `http://${host}:${gateway.port}`);
    const { urls, rest, auth, functions, storage, realtime } = services;
    gateway.open({
      rest: (request, url, client) => rest.handle(request, url, client),
      auth: (request, url, client) => auth.handle(request, url, client),
      mail: (request, url) => auth.mail(request, url),
      home: homePage(() => people),
      functions: (request, name, path, client) => functions.handle(request, name, path, client),
      storage: (request, url) => storage.handle(request, url),
      realtime: (request, url) => realtime.proxy.handle(request, url),
      applications: await applications(),
    });
    onStep("The service answers");
    if (options.withPeople) people = await readyPeople(urls, options);
    const current = statusOf(gateway.port, services);
    jobs = await Jobs.start(urls.primary, current, log);
    return current;
  }

  /** Stops what `raise` started. */
  async function lower(): Promise<void> {
    await Promise.all([services?.realtime.process.stop(), jobs?.stop()]);
    jobs = undefined;
    if (services !== undefined) await stopServices(services);
    services = undefined;
  }

  async function reset(): Promise<Response> {
    onStep("Rebuilding the database");
    gateway.close();
    await lower();
    await removeIfExists(objectsOf(name));
    try {
      await databases.rebuild();
      await raise();
    } catch (error) {
      log(String(error)); // a migration that fails: the next reset tries again
      return new Response(String(error), { status: 500 });
    }
    onStep("The database is new");
    return Response.json({ reset: true });
  }

  function describe(hasKey: boolean): RunningPlatform {
    const current = services === undefined || !hasKey ? null : statusOf(gateway.port, services);
    const down = services === undefined ? [] : partsDown(databases, services);
    return { pid: options.supervisor?.pid ?? Deno.pid, gateway: Deno.pid, root: ROOT, status: current, down };
  }

  async function control(request: Request, url: URL): Promise<Response> {
    const hasKey = request.headers.get("apikey") === SECRET_KEY;
    if (url.pathname === "/_platform" && request.method === "GET") return Response.json(describe(hasKey));
    if (request.method !== "POST" || !hasKey || !/^\/_platform\/(reset|stop)$/.test(url.pathname)) {
      return new Response(null, { status: 404 });
    }
    if (url.pathname === "/_platform/stop") {
      options.onStop?.();
      return Response.json({ stopping: true });
    }
    if (stopping) return new Response("The platform is stopping", { status: 503 });
    resetting ??= reset().finally(() => resetting = undefined);
    return (await resetting).clone();
  }

  try {
    const current = await raise();
    return {
      status: current,
      people,
      functionEnvironment: services!.functions.options.environment,
      stop: async () => {
        stopping = true;
        gateway.close();
        await resetting;
        await services?.realtime.proxy.close();
        await Promise.all([withTimeout(gateway.stop(), STOP_TIMEOUT_MS, () => {}), jobs?.stop()]);
        await lower();
        await databases.stop();
      },
    };
  } catch (error) {
    await gateway.stop();
    await lower();
    await databases.stop();
    throw error;
  }
}

function statusOf(port: number, { urls, providers }: Services): Status {
  return {
    ...status(port, asUser(urls.primary, "postgres")),
    PROVIDERS_URL: providers.url,
    ...(urls.replica === undefined ? {} : { REPLICA_DB_URL: asUser(urls.replica, "postgres") }),
  };
}

/** The parts that are down, each with its reason. */
function partsDown({ problems }: Databases, { realtime }: Services): string[] {
  return [
    ...Object.entries(problems).map(([part, problem]) => `${part}: ${problem}`),
    ...(realtime.process.isUp ? [] : ["realtime: its process has ended and is started again"]),
  ];
}

async function startServices(
  options: PlatformOptions,
  databases: Databases,
  name: string,
  port: number,
  publicUrl: string,
): Promise<Services> {
  const [config, secrets] = [await readConfig(), await functionSecrets()];
  const mailbox = new Mailbox(options.log);
  const startingProviders = startProviders({
    functionsUrl: status(port, "").FUNCTIONS_URL,
    onMail: ({ to, subject, text }) => mailbox.send({ to, subject, body: text }),
  });
  const packages = fetchPackages(options.functionsDeno, config.importMaps);
  const urls = await databases.start();
  const current = status(port, asUser(urls.primary, "postgres"));
  const realtime = startRealtime(urls, options);
  const [rest, auth, storage] = await Promise.all([
    startRest(databases, urls, config, options),
    Auth.start({
      admin: asUser(urls.primary, "supabase_auth_admin"),
      config: authConfig(config, publicUrl, options.authRules ?? "relaxed"),
      origin: current.API_URL,
      publicUrl,
      rate: options.authRate,
      algorithm: options.jwtAlgorithm ?? "ES256",
      mailbox,
      log: options.log,
    }),
    Storage.start({
      folder: objectsOf(name),
      buckets: config.buckets,
      maxObjectSize: config.fileSizeLimit,
      credentials: {
        accessKeyId: current.S3_PROTOCOL_ACCESS_KEY_ID,
        secretAccessKey: current.S3_PROTOCOL_ACCESS_KEY_SECRET,
      },
    }),
  ]);
  options.onStep("The Data API and the auth server are ready");
  await packages;
  const providers = await startingProviders;
  const functions = await FunctionRunner.start({
    deno: options.functionsDeno,
    source: FUNCTIONS,
    folder: join(STATE, name, "functions"),
    environment: {
      ...providers.environment,
      // A developer reads metrics with the secret key. A token in .env replaces it.
      METRICS_TOKEN: current.SECRET_KEY,
      ...options.withAiModels ? { ...providers.aiEnvironment, AI_TIMEOUT_MS: "1000", AI_BUDGET_MS: "3000" } : {},
      LOG_SUCCESS_SHARE: "1", // a developer sees every request
      ...secrets,
      ...functionEnvironment(current, publicUrl),
      ...options.functionSettings,
    },
    importMaps: config.importMaps,
    log: options.log,
  });
  return { urls, rest, auth, functions, storage, realtime: await realtime, providers };
}

/** A platform without sample people is still useful, for example while a migration is being changed. */
async function readyPeople({ primary }: DatabaseUrls, { onStep, log }: PlatformOptions): Promise<SamplePerson[]> {
  try {
    return await addSamplePeople(primary, () => onStep("Adding the sample people with their history"));
  } catch (error) {
    log(`The sample people could not be added. ${error}`);
    return [];
  }
}

async function startRest(
  databases: Databases,
  { primary, replica }: DatabaseUrls,
  { schemas }: Config,
  options: PlatformOptions,
): Promise<Balancer> {
  const authenticator = asUser(primary, "authenticator");
  const common = { schemas, log: options.log };
  return new Balancer({
    primary: await Rest.start({ ...common, authenticator }),
    replica: replica === undefined
      ? undefined
      : await Rest.start({ ...common, authenticator: asUser(replica, "authenticator"), schemaFrom: authenticator }),
    isReplicaUp: () => databases.problems.replica === undefined,
    reads: options.replica?.reads ?? "half",
  });
}

async function startRealtime({ primary }: DatabaseUrls, options: PlatformOptions): Promise<Realtime> {
  const log = (line: string) => options.log(`[realtime] ${line}`);
  const process = superviseRealtime({
    entry: fileURLToPath(new URL("realtime/main.ts", import.meta.url)),
    databaseUrl: primary,
    privateOnly: options.realtimePrivateOnly ?? false,
    log,
  });
  await process.port(REALTIME_TIMEOUT_MS); // if it is not up by then, requests get 503 until it is
  return { process, proxy: new RealtimeProxy(process, log) };
}

async function stopServices({ rest, auth, functions, providers }: Services): Promise<void> {
  await functions.stop();
  await providers.stop();
  await Promise.all([rest.stop(), auth.stop()]);
}

/** Where a platform keeps its objects. */
function objectsOf(name: string): string {
  return join(STATE, name, "objects");
}

/** The variables that Supabase sets for a function, and those that a hosted project sets as secrets. */
function functionEnvironment(current: Status, publicUrl: string): Record<string, string> {
  return {
    SUPABASE_URL: current.API_URL,
    SUPABASE_ANON_KEY: current.ANON_KEY,
    SUPABASE_SERVICE_ROLE_KEY: current.SERVICE_ROLE_KEY,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: current.PUBLISHABLE_KEY }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: current.SECRET_KEY }),
    SUPABASE_DB_URL: current.DB_URL,
    SUPABASE_JWKS: JSON.stringify({ keys: [PUBLIC_JWK] }),
    JWT_SECRET: current.JWT_SECRET,
    BASE_URL: `${publicUrl}/functions`,
    CDN_URL: `${publicUrl}/storage/v1/object/public/${S3_BUCKET}`,
    S3_ENDPOINT: current.STORAGE_S3_URL,
    S3_PUBLIC_ENDPOINT: `${publicUrl}/storage/v1/s3`,
    S3_REGION: current.S3_PROTOCOL_REGION,
    S3_BUCKET,
    S3_PRIVATE_BUCKET,
    S3_ACCESS_KEY_ID: current.S3_PROTOCOL_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: current.S3_PROTOCOL_ACCESS_KEY_SECRET,
  };
}
