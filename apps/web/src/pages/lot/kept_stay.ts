/** Without a connection the page shows what it showed last, for the stay of then. */
import { useEffect } from "preact/hooks";
import { NetworkError } from "parking-lot-client";
import { keptRead } from "../../reads.ts";
import { place, replaceQuery } from "../../router.ts";
import { user } from "../../service.ts";

const NAMES = ["entry_at", "exit_at", "vehicle_type", "vehicle"];

/** Goes to the stay whose reply is kept for the lot, if the lot could not be read. */
export function useKeptStay(id: string, error: unknown): void {
  useEffect(() => {
    if (!(error instanceof NetworkError)) return;
    const { path } = place.peek();
    void keptRead(user.peek()?.id ?? "", `/v1/parking-lots/${id}`).then((kept) => {
      if (kept === undefined || place.peek().path !== path) return;
      const stay = Object.fromEntries([...kept.query].filter(([name]) => NAMES.includes(name)));
      const { query } = place.peek();
      if (NAMES.some((name) => query.get(name) !== (stay[name] ?? null))) replaceQuery(stay);
    });
  }, [error]);
}
