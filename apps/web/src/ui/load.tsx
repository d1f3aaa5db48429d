/** Reads for a page, and actions of buttons. */
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { rereads } from "../reads.ts";
import { user } from "../service.ts";
import { pageTexts } from "../texts/pages.ts";
import { ErrorNote } from "./error_note.tsx";

const text = pageTexts(({ ui }) => ui.load);

export interface Load<Data> {
  /** The newest data that was read; it stays while a newer read runs. */
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

/**
 * Reads when the component appears, whenever an input or the user changes, and when there is a connection again. A newer
 * read aborts the one before.
 */
export function useLoad<Data>(read: (signal: AbortSignal) => Promise<Data>, inputs: readonly unknown[]): Load<Data> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<Omit<Load<Data>, "reload">>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  useEffect(() => {
    const abort = new AbortController();
    setState(({ data }) => ({ data, error: undefined, isLoading: true }));
    read(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, error: undefined, isLoading: false }),
      (error) => abort.signal.aborted || setState(({ data }) => ({ data, error, isLoading: false })),
    );
    return () => abort.abort();
  }, [...inputs, count, rereads.value, user.value?.id]);
  return { ...state, reload: useCallback(() => setCount((n) => n + 1), []) };
}

/** Shows what was read, or that it is being read, or why it could not be read. */
export function Loaded<Data>(
  { load, instead, children }: {
    load: Load<Data>;
    /** What stands there until the first read has ended, if not a word. */
    instead?: ComponentChildren;
    children: (data: Data) => ComponentChildren;
  },
) {
  if (load.error !== undefined) return <ErrorNote error={load.error} onRetry={load.reload} />;
  if (load.data === undefined) return instead ?? <p class="notice" role="status">{text.value.loading}</p>;
  return <div aria-busy={load.isLoading}>{children(load.data)}</div>;
}

export interface Action {
  run(): Promise<void>;
  readonly isRunning: boolean;
  readonly error: unknown;
}

/** An action that a user starts: it runs once at a time and keeps its error. */
export function useAction(perform: () => Promise<unknown>): Action {
  const running = useRef(false);
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({ isRunning: false, error: undefined });
  const run = async () => {
    if (running.current) return;
    running.current = true;
    setState({ isRunning: true, error: undefined });
    let error: unknown;
    try {
      await perform();
    } catch (thrown) {
      error = thrown;
    }
    running.current = false;
    setState({ isRunning: false, error });
  };
  return { run, ...state };
}

/** A button that starts an action and shows its error. */
export function ActionButton(
  { perform, children, class: kind, isPressed }: {
    perform: () => Promise<unknown>;
    children: ComponentChildren;
    class?: string;
    /** For a button that switches something on and off. */
    isPressed?: boolean;
  },
) {
  const action = useAction(perform);
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-pressed={isPressed}
        aria-busy={action.isRunning}
        onClick={() => void action.run()}
      >
        {children}
      </button>
      {action.error !== undefined && <ErrorNote error={action.error} onSignedIn={() => void action.run()} />}
    </>
  );
}
