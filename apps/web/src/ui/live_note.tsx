import { pageTexts } from "../texts/pages.ts";
/** Whether a page follows the service: silent while it does. */

export type LiveStatus = "connecting" | "live" | "offline";

const text = pageTexts(({ ui }) => ui.liveNote);

export function LiveNote({ status }: { status: LiveStatus }) {
  return <div role="status">{status === "offline" && <p class="notice">{text.value.offline}</p>}</div>;
}
