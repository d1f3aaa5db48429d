/** The saved lots open without a connection too, also those that were never opened in this browser. */
import { effect } from "@preact/signals";
import { isAppUser } from "../../following.ts";
import { language } from "../../language.ts";
import { quiet } from "../../quiet.ts";
import { keptRead } from "../../reads.ts";
import { client, user } from "../../service.ts";
import { readLot } from "./lot.ts";
import { nextHour } from "./stay.ts";

const MAX_LOTS = 20;
const DAY_MS = 24 * 60 * 60_000;

/** Reads the saved lots that were not read for a day, when the page has nothing else to do. */
export function keepSavedLots(): void {
  effect(() => {
    const id = user.value?.id;
    if (!isAppUser.value || id === undefined) return;
    const abort = new AbortController();
    keepAll(id, abort.signal).catch((error: unknown) =>
      abort.signal.aborted || console.warn("The saved lots could not be kept for times without a connection.", error)
    );
    return () => abort.abort();
  });
}

async function keepAll(userId: string, signal: AbortSignal): Promise<void> {
  await quiet();
  signal.throwIfAborted();
  const { data } = await client.GET("/v1/me/saved-parking-lots", { signal });
  for (const { parking_lot_id: id, parking_lot } of data.items.slice(0, MAX_LOTS)) {
    const kept = await keptRead(userId, `/v1/parking-lots/${id}`);
    if (parking_lot === null || (kept && kept.at > Date.now() - DAY_MS)) continue;
    const stay = { ...nextHour(new Date()), vehicleType: "standard", vehicle: undefined };
    await readLot(id, stay, language.peek(), signal);
  }
}
