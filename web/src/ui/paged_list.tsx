/** A list that reads more items when a person asks for them. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../language.ts";
import { ErrorNote } from "./error_note.tsx";

const text = texts({
  en: { loading: "Loading…", more: "Show more" },
  ja: { loading: "読み込み中…", more: "もっと見る" },
});

export interface PagedListProps<Item> {
  /** Starts reading, for example `(signal) => client.pages("/v1/me/reviews", { signal })`. */
  readonly read: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>;
  /** Reads again from the beginning when one of these changes. */
  readonly inputs?: readonly unknown[];
  /** Items at a time, 20 by default. */
  readonly size?: number;
  /** What stands there when there is no item. */
  readonly empty: string;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
}

interface State<Item> {
  readonly items: readonly Item[];
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly isComplete: boolean;
}

export function PagedList<Item>({ read, inputs = [], size = 20, empty, keyOf, children }: PagedListProps<Item>) {
  const [state, setState] = useState<State<Item>>({ items: [], error: undefined, isLoading: true, isComplete: false });
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
  }, [...inputs, attempt]);

  const { items, error, isLoading, isComplete } = state;
  return (
    <div aria-busy={isLoading}>
      {items.length > 0 && <ul class="list">{items.map((item) => <li key={keyOf(item)}>{children(item)}</li>)}</ul>}
      {error !== undefined && <ErrorNote error={error} onRetry={() => setAttempt((n) => n + 1)} />}
      {isLoading && <p role="status">{text.value.loading}</p>}
      {isComplete && items.length === 0 && <p class="notice">{empty}</p>}
      {!isLoading && !isComplete && error === undefined && (
        <p>
          <button type="button" onClick={() => source.current && void readMore(source.current, items)}>
            {text.value.more}
          </button>
        </p>
      )}
    </div>
  );
}
