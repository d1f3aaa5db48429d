/** One act on several entries, one after another: it ends at the first that fails, and says what was done. */

export interface BulkOutcome<Entry> {
  readonly done: readonly Entry[];
  /** The entry at which it ended, and why. */
  readonly failed?: { readonly entry: Entry; readonly error: unknown };
  /** The entries that were not tried. */
  readonly left: readonly Entry[];
}

export async function actOnEach<Entry>(
  entries: readonly Entry[],
  perform: (entry: Entry) => Promise<unknown>,
  { signal, onProgress = () => {} }: { signal?: AbortSignal; onProgress?: (done: number) => void } = {},
): Promise<BulkOutcome<Entry>> {
  const done: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    if (signal?.aborted) return { done, left: entries.slice(index) };
    try {
      await perform(entry);
    } catch (error) {
      return { done, failed: { entry, error }, left: entries.slice(index + 1) };
    }
    done.push(entry);
    onProgress(done.length);
  }
  return { done, left: [] };
}
