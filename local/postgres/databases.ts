// Postgres and its read replica, as the other parts of the platform use them: in the same process, or in the process that
// started theirs, so that Postgres runs on when theirs is killed.
import { type DatabaseOptions, removeDatabase, startDatabase, startReplica } from "./database.ts";
import type { PostgresServer } from "./server.ts";

/** Addresses for the superuser. */
export interface DatabaseUrls {
  readonly primary: string;
  readonly replica?: string;
}

/** Why a database does not run; a database that runs has no entry. */
export type Problems = { readonly [Part in "database" | "replica"]?: string };

export interface Databases {
  readonly problems: Problems;
  /** Resolves when they accept connections. Starts them if nothing else did. */
  start(): Promise<DatabaseUrls>;
  /** Throws the data away and builds it again. */
  rebuild(): Promise<DatabaseUrls>;
  stop(): Promise<void>;
}

/** What their process sends to that of the other parts. */
export type DatabaseMessage =
  | { readonly urls: DatabaseUrls }
  | { readonly failure: string }
  | { readonly problems: Problems };

/** The same address for another user. */
export function asUser(url: string, user: string): string {
  const address = new URL(url);
  address.username = user;
  return address.href;
}

export class LocalDatabases implements Databases {
  #starting: Promise<DatabaseUrls> | undefined;
  #servers: { -readonly [Part in keyof Problems]?: PostgresServer } = {};

  constructor(readonly options: DatabaseOptions) {}

  get problems(): Problems {
    const { database, replica } = this.#servers;
    return {
      ...(database?.problem === undefined ? {} : { database: database.problem }),
      ...(replica?.problem === undefined ? {} : { replica: replica.problem }),
    };
  }

  start(): Promise<DatabaseUrls> {
    return this.#starting ??= this.#start();
  }

  rebuild(): Promise<DatabaseUrls> {
    return this.#starting = this.#rebuild();
  }

  async stop(): Promise<void> {
    const { database, replica } = this.#servers;
    this.#servers = {};
    await database?.stop(); // first, because a commit may wait for the replica
    await replica?.stop();
  }

  async #start(): Promise<DatabaseUrls> {
    const database = this.#servers.database = await startDatabase(this.options);
    if (!this.options.replica) return { primary: database.url() };
    const replica = this.#servers.replica = await startReplica(database, this.options);
    return { primary: database.url(), replica: replica.url() };
  }

  async #rebuild(): Promise<DatabaseUrls> {
    await this.stop();
    await removeDatabase(this.options.name);
    return await this.#start();
  }
}

/** The databases of the process that started this one. */
export class RemoteDatabases implements Databases {
  problems: Problems = {};
  #urls = Promise.withResolvers<DatabaseUrls>();

  constructor(readonly requestRebuild: () => void) {}

  receive(message: DatabaseMessage): void {
    if ("urls" in message) this.#urls.resolve(message.urls);
    else if ("failure" in message) this.#urls.reject(new Error(message.failure));
    else this.problems = message.problems;
  }

  start(): Promise<DatabaseUrls> {
    return this.#urls.promise;
  }

  rebuild(): Promise<DatabaseUrls> {
    this.#urls = Promise.withResolvers();
    this.requestRebuild();
    return this.#urls.promise;
  }

  /** They run until the other process stops them. */
  stop(): Promise<void> {
    return Promise.resolve();
  }
}
