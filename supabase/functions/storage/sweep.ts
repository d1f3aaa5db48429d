import { z } from "zod";
import { route } from "../_shared/http/route.ts";
import type { ObjectStorage } from "../_shared/providers/object_storage.ts";
import { Sweep } from "../_shared/schema/storage.ts";

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
const AT_ONCE = 10;
/** Well within what a job waits for, and before the messages are read by somebody else. */
const PATIENCE_MS = 40_000;

export const sweepStorage = route({
  method: "POST",
  path: "/storage/sweep",
  access: "service",
  summary: "Delete the objects that are to be deleted",
  description: "For the service's job. An object that cannot be deleted stays in the queue and is tried again.",
  reply: [200, Sweep],
  refusals: [],
  handle: async ({ db, storage }) => {
    const until = performance.now() + PATIENCE_MS;
    const swept = { deleted: 0, failed: 0 };
    while (performance.now() < until) {
      const messages = await db.rpc<Message[]>("read_object_deletions", { limit: BATCH });
      if (messages.length === 0) break;
      const gone = await deleteObjects(storage, messages.flatMap(deletion));
      swept.failed += messages.length - gone.length;
      // The object first: a row whose object is still there must not be lost.
      swept.deleted += await db.rpc<number>("finish_object_deletions", {
        msg_ids: gone.map(({ msg_id }) => msg_id),
        storage_keys: gone.map(({ storage_key }) => storage_key),
      });
    }
    return swept;
  },
});

/** A message that is none of ours names no object: it is left to be read again until it leaves the queue as dead. */
function deletion({ msg_id, message }: Message): Deletion[] {
  const { data } = Content.safeParse(message);
  return data === undefined ? [] : [{ msg_id, storage_key: data.storage_key }];
}

/** Deletes what it can, a few at once, and gives those whose objects are gone. */
async function deleteObjects(storage: ObjectStorage, deletions: readonly Deletion[]): Promise<Deletion[]> {
  const waiting = [...deletions];
  const gone: Deletion[] = [];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (await storage.delete(next.storage_key)) gone.push(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return gone;
}
