/** One entry of the console as the administrator has read it. A change names that version, so it never overwrites a newer one. */
import { useState } from "preact/hooks";
import { ApiError } from "parking-lot-client";
import { type Load, useLoad } from "../../ui/load.tsx";
import { announcement } from "./announcement.ts";

export interface Seen<Data> {
  readonly data: Data;
  /** The version, for `If-Match`. */
  readonly etag: string | undefined;
}

export interface Entry<Data> extends Load<Seen<Data>> {
  /** The version that the administrator had read, after somebody else changed it; then `data` is the newer one. */
  readonly before: Data | undefined;
  /** Changes the entry. If it was changed meanwhile, nothing is done, and the newer version is read. */
  change(perform: (seen: Seen<Data>) => Promise<unknown>): Promise<"done" | "changed_meanwhile">;
  /** Continues with the newer version. */
  accept(): void;
}

export function useEntry<Data>(
  read: (signal: AbortSignal) => Promise<{ data: Data; response: Response }>,
  inputs: readonly unknown[],
): Entry<Data> {
  const load = useLoad<Seen<Data>>(async (signal) => {
    const { data, response } = await read(signal);
    return { data, etag: response.headers.get("ETag") ?? undefined };
  }, inputs);
  const [before, setBefore] = useState<Data>();
  const change = async (perform: (seen: Seen<Data>) => Promise<unknown>) => {
    const seen = load.data!;
    try {
      await perform(seen);
    } catch (error) {
      if (!isChangedMeanwhile(error)) throw error;
      setBefore(() => seen.data);
      load.reload();
      return "changed_meanwhile" as const;
    }
    setBefore(undefined);
    return "done" as const;
  };
  // Until the newer version has been read there is nothing to compare.
  const isRead = load.data?.data !== before;
  return { ...load, before: isRead ? before : undefined, change, accept: () => setBefore(undefined) };
}

/** Changes an entry, announces it with a sentence and reads the entry again. */
export async function actOn<Data>(
  entry: Entry<Data>,
  sentence: string,
  perform: (seen: Seen<Data>) => Promise<unknown>,
): Promise<void> {
  if (await entry.change(perform) !== "done") return;
  announcement.value = sentence;
  entry.reload();
}

export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiError &&
    (error.code === "precondition_failed" ||
      (error.code === "conflict" && error.details?.reason === "changed_meanwhile"));
}

/** The header of a change of the version that was read. */
export function ifMatch({ etag }: Seen<unknown>): { "If-Match"?: string } {
  return etag === undefined ? {} : { "If-Match": etag };
}
