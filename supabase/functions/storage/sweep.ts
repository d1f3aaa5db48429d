import { z } from "zod";
import {
  applyPublication,
  incomingKey,
  originalKey,
  type Publication,
  PUBLICATION_CALLS,
} from "../_shared/storage/assets.ts";
import type { Database } from "../_shared/db/client.ts";
import { route } from "../_shared/http/route.ts";
import { underLease } from "../_shared/queue/lease.ts";
import { forEach } from "../_shared/queue/pool.ts";
import type { ObjectStorage } from "../_shared/storage/object_storage.ts";
import { Sweep } from "./storage.schema.ts";

interface Message {
  readonly msg_id: number;
  readonly message: unknown;
}

interface Deletion {
  readonly msg_id: number;
  readonly storage_key: string;
}

const Content = z.object({ storage_key: z.string().min(1) });

const BATCH = 100;
const CONCURRENCY = 10;
/** Shorter than the timeout of the job. */
const TIMEOUT_MS = 40_000;
/** Retry delay of a failed object in seconds. */
const RETRY_SECONDS = 120;

const SWEEP_CALLS = [
  "read_object_publications",
  "read_object_deletions",
  "finish_object_deletions",
  "extend_lease",
  ...PUBLICATION_CALLS,
] as const;

type SweepDatabase = Database<(typeof SWEEP_CALLS)[number]>;

export const sweepStorage = route({
  method: "POST",
  path: "/storage/sweep",
  access: "service",
  isConsumer: true,
  summary: "Copy objects to be published and delete unused ones",
  description: "For the internal job. Failed objects stay in their queue and are retried.",
  reply: [200, Sweep],
  errors: [],
  calls: SWEEP_CALLS,
  uses: ["storage"],
  handle: async ({ db, storage }) => {
    const until = performance.now() + TIMEOUT_MS;
    const swept = { published: 0, deleted: 0, failed: 0 };
    while (performance.now() < until) {
      const files = await db.rpc<Publication[]>("read_object_publications", { limit: BATCH });
      if (files.length === 0) break;
      const settled = await sweepBatch(db, "object_publication", files, () => publishAll(db, storage, files));
      swept.published += settled;
      swept.failed += files.length - settled;
    }
    while (performance.now() < until) {
      const messages = await db.rpc<Message[]>("read_object_deletions", { limit: BATCH });
      if (messages.length === 0) break;
      const deleted = await sweepBatch(db, "object_deletion", messages, () => deleteAll(db, storage, messages));
      swept.deleted += deleted;
      swept.failed += messages.length - deleted;
    }
    return swept;
  },
});

/** Works on messages under their lease, and returns how many are done. The others are retried later. */
async function sweepBatch(
  db: SweepDatabase,
  queue: "object_publication" | "object_deletion",
  messages: readonly { readonly msg_id: number | null }[],
  work: () => Promise<number>,
): Promise<number> {
  const msg_ids = messages.flatMap(({ msg_id }) => msg_id ?? []);
  const done = await underLease(() => db.rpc("extend_lease", { queue, msg_ids }), work);
  if (done < messages.length) await db.rpc("extend_lease", { queue, msg_ids, seconds: RETRY_SECONDS });
  return done;
}

/**
 * Publishes files, a few at the same time, and counts them. A message without a file stays in the queue until it is
 * dead.
 */
async function publishAll(
  db: Database<(typeof PUBLICATION_CALLS)[number]>,
  storage: ObjectStorage,
  files: readonly Publication[],
): Promise<number> {
  let settled = 0;
  await forEach(files.filter((file) => Content.safeParse(file).success), CONCURRENCY, async (file) => {
    if (await applyPublication(db, storage, file)) settled++;
  });
  return settled;
}

async function deleteAll(db: SweepDatabase, storage: ObjectStorage, messages: readonly Message[]): Promise<number> {
  const deleted = await deleteObjects(storage, messages.flatMap(deletion));
  // The object first: a row must not be deleted before its object.
  return await db.rpc<number>("finish_object_deletions", {
    msg_ids: deleted.map(({ msg_id }) => msg_id),
    storage_keys: deleted.map(({ storage_key }) => storage_key),
  });
}

/** An invalid message has no object. It stays in the queue until it is dead. */
function deletion({ msg_id, message }: Message): Deletion[] {
  const { data } = Content.safeParse(message);
  return data === undefined ? [] : [{ msg_id, storage_key: data.storage_key }];
}

/** Deletes objects, a few at the same time, and returns those whose objects no longer exist. */
async function deleteObjects(storage: ObjectStorage, deletions: readonly Deletion[]): Promise<Deletion[]> {
  const deleted: Deletion[] = [];
  await forEach(deletions, CONCURRENCY, async (deletion) => {
    // In this order, because a deleted original can no longer be copied.
    const { storage_key: key } = deletion;
    const keys = new Set([incomingKey(key), originalKey(key), key]);
    for (const each of keys) if (!await storage.delete(each)) return;
    deleted.push(deletion);
  });
  return deleted;
}
