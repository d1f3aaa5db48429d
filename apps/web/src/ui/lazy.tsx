/** Parts of a page that are loaded when they first appear. */
import type { ComponentType } from "preact";
import { Loaded, useLoad } from "./load.tsx";

/** A component whose code is loaded when it first appears. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  return function Lazy(props: Props) {
    // A failed request is not kept: "Try again" sends another.
    const read = () => loading ??= load().catch((error) => (loading = undefined, Promise.reject(error)));
    const code = useLoad(read, []);
    return <Loaded load={code}>{(Component) => <Component {...props} />}</Loaded>;
  };
}
