/** Parts of a page that are loaded when they first appear. */
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { loadPart, LostPartError } from "../parts.ts";
import { pageTexts } from "../texts/pages.ts";
import { ErrorNote } from "./error_note.tsx";
import { useLoad } from "./load.tsx";

const text = pageTexts(({ ui }) => ui.lazy);

export type Lazy<Props> = ComponentType<Props> & {
  /** Loads the component before it appears. */
  prefetch(): Promise<unknown>;
};

/** A component of a module that is loaded when the component first appears. `Waiting` has its place until then. */
export function lazy<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  Waiting: ComponentType = Loading,
): Lazy<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  // A failed request is not kept: "Try again" sends another.
  const prefetch = () =>
    loading ??= loadPart(load, (module) => void (loaded = pick(module)))
      .catch((error) => (loading = undefined, Promise.reject(error)));
  const LoadedPart = ({ props }: { props: Props }) => {
    const { error, reload } = useLoad(prefetch, []);
    const Component = loaded;
    if (Component !== undefined) return <Component {...props} />;
    return error === undefined ? <Waiting /> : <PartError error={error} onRetry={reload} />;
  };
  return Object.assign((props: Props) => <LoadedPart props={props} />, { prefetch });
}

function Loading() {
  return <p class="notice" role="status">{text.value.loading}</p>;
}

/** Why a part is not there. It is requested again when the connection is back. */
function PartError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  useEffect(() => {
    addEventListener("online", onRetry);
    return () => removeEventListener("online", onRetry);
  }, []);
  if (!(error instanceof LostPartError)) return <ErrorNote error={error} onRetry={onRetry} />;
  return (
    <div class="notice error" role="alert">
      <p>{text.value.lost}</p>
      <button type="button" onClick={() => location.reload()}>{text.value.reload}</button>
    </div>
  );
}
