import type { Database } from "../_shared/db/client.ts";
import type { StoreName } from "../_shared/providers/store.ts";

/** Stores a notification for the queue's consumer. `known`: it is already stored. */
export async function keepNotification(
  service: Database<"receive_store_notification">,
  store: StoreName,
  eventId: string,
  body: object,
): Promise<"stored" | "known"> {
  const isNew = await service.rpc<boolean>("receive_store_notification", { store, event_id: eventId, body });
  return isNew ? "stored" : "known";
}
