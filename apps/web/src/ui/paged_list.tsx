/** A list that reads more items when a user asks for them. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { user } from "../service.ts";
import { pageTexts } from "../texts/pages.ts";
import { ErrorNote } from "./error_note.tsx";

const text = pageTexts(({ ui }) => ui.pagedList);

export interface PagedListProps<Item> {
  /** Starts reading, for example `(signal) => client.pages("/v1/me/reviews", { signal })`. */
  readonly read: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>;
  /** Reads again from the beginning when one of these changes. */
  readonly inputs?: readonly unknown[];
  /** Items at a time, 20 by default. */
  readonly size?: number;
  /** What stands there when there is no item; empty for nothing. */
  readonly empty: string;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
}

export interface Pages<Item> {
  /** The items that were read so far; they stay while they are read again. */
  readonly items: readonly Item[];
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Whether there are no more items. */
  readonly isComplete: boolean;
  /** Reads the next items. */
  more(): void;
  /** Reads again from the beginning. */
  reload(): void;
}

/** Reads the first items, and more of them on demand. */
export function usePages<Item>(
  read: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>,
  inputs: readonly unknown[],
  size = 20,
): Pages<Item> {
  const [state, setState] = useState<Omit<Pages<Item>, "more" | "reload">>({
    items: [],
    error: undefined,
    isLoading: true,
    isComplete: false,
  });
  const [attempt, setAttempt] = useState(0);
  const source = useRef<AsyncGenerator<Item, void, undefined> | undefined>(undefined);

  const readMore = async (from: AsyncGenerator<Item, void, undefined>, known: readonly Item[]) => {
    setState((old) => ({ ...old, isLoading: true, error: undefined }));
    const items = [...known];
    let isComplete = false;
    let error: unknown;
    try {
      while (items.length < known.length + size && !isComplete) {
        const { value, done } = await from.next();
        if (done) isComplete = true;
        else items.push(value);
      }
    } catch (thrown) {
      error = thrown;
    }
    // A newer reading has begun, or the list is gone.
    if (source.current === from) setState({ items, error, isLoading: false, isComplete });
  };

  useEffect(() => {
    const abort = new AbortController();
    const from = read(abort.signal);
    source.current = from;
    void readMore(from, []);
    return () => {
      abort.abort();
      if (source.current === from) source.current = undefined;
    };
  }, [...inputs, attempt, user.value?.id]);

  return {
    ...state,
    more: () => source.current && void readMore(source.current, state.items),
    reload: () => setAttempt((n) => n + 1),
  };
}

export function PagedList<Item>({ read, inputs = [], size, empty, keyOf, children }: PagedListProps<Item>) {
  const pages = usePages(read, inputs, size);
  const { items } = pages;
  return (
    <div aria-busy={pages.isLoading}>
      {items.length > 0 && <ul class="list">{items.map((item) => <li key={keyOf(item)}>{children(item)}</li>)}</ul>}
      <PagesEnd pages={pages} empty={empty} />
    </div>
  );
}

/** What stands below the items of a list: an error, that it is read, that there is none, or the button for more. */
export function PagesEnd({ pages, empty }: { pages: Pages<unknown>; empty: string }) {
  const { items, error, isLoading, isComplete } = pages;
  return (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={pages.reload} />}
      {isLoading && <p role="status">{text.value.loading}</p>}
      {isComplete && items.length === 0 && empty !== "" && <p class="notice">{empty}</p>}
      {!isLoading && !isComplete && error === undefined && (
        <p>
          <button type="button" onClick={pages.more}>{text.value.more}</button>
        </p>
      )}
    </>
  );
}
