/// <reference lib="dom" />
/** A browser without WebGL: an old one, one on a virtual machine, or one whose owner has turned it off. */
import { pageTexts } from "../texts/pages.ts";

const text = pageTexts(({ map }) => map.noMap);

let isPossible: boolean | undefined;

/** Whether this browser can draw a map. A context that is made to find out is given back: a browser has few of them. */
export function canDrawMaps(): boolean {
  return isPossible ??= (() => {
    const context = document.createElement("canvas").getContext("webgl2");
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null;
  })();
}

/** What stands in the place of a map. `instead` says where the same is. */
export function NoMap({ instead }: { instead: string }) {
  return <p class="no-map small" role="note">{text.value.why} {instead}</p>;
}
