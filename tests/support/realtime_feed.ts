// The feed of the realtime server on a test database, with subscribers that record what they receive.
import { PostgresFeed } from "../../local/realtime/feed.ts";
import type { Binding, Identity, Subscription } from "../../local/realtime/types.ts";
import { asSuperuser, database, type TestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import type { Change } from "./realtime_server.ts";

export interface Received {
  readonly bindings: number[];
  readonly change: Change;
  /** The change as JSON. */
  readonly text: string;
}

export class TestSubscriber {
  readonly received: Received[] = [];
  lost: string | undefined;
  subscription!: Subscription;

  /** The changes once there are so many. */
  async receives(count: number, milliseconds?: number): Promise<Change[]> {
    await eventually(() => this.received.length >= count || undefined, milliseconds).catch(() => {
      throw new Error(`Received ${this.received.length} of ${count}: ${JSON.stringify(this.received).slice(0, 2000)}`);
    });
    return this.received.map(({ change }) => change);
  }

  /** The changes before the row with this id, which are removed with it. */
  async until(id: unknown): Promise<Change[]> {
    const isFence = ({ change }: Received) => change.record?.["id"] === id;
    await eventually(() => this.received.find(isFence)).catch(() => {
      throw new Error(`The fence was not received: ${JSON.stringify(this.received).slice(0, 2000)}`);
    });
    const at = this.received.findIndex(isFence);
    return this.received.splice(0, at + 1).slice(0, -1).map(({ change }) => change);
  }
}

export interface FeedFixture {
  readonly db: TestDatabase;
  readonly feed: PostgresFeed;
  readonly log: string[];
  readonly superuser: string;
  subscribe(binding: Binding | Binding[], identity?: Identity): Promise<TestSubscriber>;
  close(): Promise<void>;
}

export async function startFeed(): Promise<FeedFixture> {
  const db = await database();
  const log: string[] = [];
  const feed = new PostgresFeed({ url: asSuperuser(db.url), log: (line) => void log.push(line) });
  await feed.start();
  return {
    db,
    feed,
    log,
    superuser: asSuperuser(db.url),
    subscribe: async (binding, identity = person()) => {
      const subscriber = new TestSubscriber();
      subscriber.subscription = await feed.subscribe([binding].flat(), identity, {
        change: (bindings, text) => void subscriber.received.push({ bindings, change: JSON.parse(text), text }),
        lost: (reason) => void (subscriber.lost = reason),
      });
      return subscriber;
    },
    close: async () => {
      await feed.stop();
      await db.close();
    },
  };
}

export function person(sub: string = crypto.randomUUID(), claims: Record<string, unknown> = {}): Identity {
  return { role: "authenticated", claims: { role: "authenticated", sub, ...claims } };
}
