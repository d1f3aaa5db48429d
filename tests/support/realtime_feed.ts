// The feed of the realtime server on a database of its own, with ears that remember what they heard.
import { PostgresFeed } from "../../local/realtime/feed.ts";
import type { Binding, Change, Identity, Subscription } from "../../local/realtime/types.ts";
import { SUPERUSER } from "../../local/postgres/server.ts";
import { database, type TestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";

export interface Heard {
  readonly bindings: number[];
  readonly change: Change;
}

export class Ear {
  readonly heard: Heard[] = [];
  lost: string | undefined;
  subscription!: Subscription;

  /** The changes once there are so many. */
  async hears(count: number, milliseconds?: number): Promise<Change[]> {
    await eventually(() => this.heard.length >= count || undefined, milliseconds).catch(() => {
      throw new Error(`Heard ${this.heard.length} of ${count}: ${JSON.stringify(this.heard).slice(0, 2000)}`);
    });
    return this.heard.map(({ change }) => change);
  }

  /** What is heard until a row of this id comes, without it. */
  async until(id: unknown): Promise<Change[]> {
    const isFence = ({ change }: Heard) => change.record?.["id"] === id;
    await eventually(() => this.heard.find(isFence)).catch(() => {
      throw new Error(`The fence was not heard: ${JSON.stringify(this.heard).slice(0, 2000)}`);
    });
    const at = this.heard.findIndex(isFence);
    return this.heard.splice(0, at + 1).slice(0, -1).map(({ change }) => change);
  }
}

export interface FeedFixture {
  readonly db: TestDatabase;
  readonly feed: PostgresFeed;
  readonly log: string[];
  readonly superuser: string;
  subscribe(binding: Binding | Binding[], identity?: Identity): Promise<Ear>;
  close(): Promise<void>;
}

export async function startFeed(): Promise<FeedFixture> {
  const db = await database();
  const log: string[] = [];
  const url = new URL(db.url);
  url.username = SUPERUSER;
  const feed = new PostgresFeed({ url: url.href, log: (line) => void log.push(line) });
  await feed.start();
  return {
    db,
    feed,
    log,
    superuser: url.href,
    subscribe: async (binding, identity = person()) => {
      const ear = new Ear();
      ear.subscription = await feed.subscribe([binding].flat(), identity, {
        change: (bindings, change) => void ear.heard.push({ bindings, change }),
        lost: (reason) => void (ear.lost = reason),
      });
      return ear;
    },
    close: async () => {
      await feed.stop();
      // Postgres takes a moment to see that its clients are gone, and the database's owner cannot end a superuser's.
      await eventually(async () => {
        const left = await db.sql`
          select from pg_stat_activity where datname = current_database() and usename = ${SUPERUSER}`;
        return left.length === 0 || undefined;
      });
      await db.close();
    },
  };
}

export function person(sub: string = crypto.randomUUID(), claims: Record<string, unknown> = {}): Identity {
  return { role: "authenticated", claims: { role: "authenticated", sub, ...claims } };
}
