/** The fees of some stays with rules that may not be stored, as the service calculates them. */
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "parking-lot-client";
import { client } from "../../../kit/access.ts";
import type { Draft, Fee, Stay } from "./tariff.ts";

/** A fee, or why there is none: the time from which no rule applies. */
export type Outcome = { readonly fee: Fee } | { readonly unknownFrom: string | null; readonly reason: string };

export interface Fees {
  readonly outcomes: readonly Outcome[];
  /** The rules cannot be stored like this. */
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** Typing does not send a request for each key. */
const PAUSE_MS = 400;

async function feeOf(
  id: string,
  stay: Omit<Stay, "name">,
  vehicle: string,
  rules: readonly Draft[] | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { entry_at, exit_at } = stay;
  const body = { entry_at, exit_at, vehicle_type: vehicle, ...(rules ? { pricing_rules: [...rules] } : {}) };
  try {
    const { data } = await client.POST("/v1/admin/parking-lots/{id}/preview-fee", {
      params: { path: { id } },
      body,
      signal,
    });
    return { fee: data };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "fee_unknown") throw error;
    const { from, reason } = (error.details ?? {}) as { from?: string; reason?: string };
    return { unknownFrom: from ?? null, reason: reason ?? "no_rules" };
  }
}

/** Without rules: those that are stored. `version` is that of the lot. */
export function useFees(
  id: string,
  stays: readonly Omit<Stay, "name">[],
  vehicle: string,
  rules: readonly Draft[] | undefined,
  version: string | undefined,
): Fees {
  const [fees, setFees] = useState<Fees>({ outcomes: [], error: undefined, isLoading: true });
  useEffect(() => {
    const abort = new AbortController();
    setFees((old) => ({ ...old, isLoading: true }));
    const timer = setTimeout(() => {
      Promise.all(stays.map((stay) => feeOf(id, stay, vehicle, rules, abort.signal))).then(
        (outcomes) => abort.signal.aborted || setFees({ outcomes, error: undefined, isLoading: false }),
        (error) => abort.signal.aborted || setFees((old) => ({ ...old, error, isLoading: false })),
      );
    }, rules === undefined ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, vehicle, JSON.stringify(rules), JSON.stringify(stays), version]);
  return fees;
}
