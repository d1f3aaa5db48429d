/** Whether a page follows the service: silent while it does. */
import { texts } from "../language.ts";

export type LiveStatus = "connecting" | "live" | "offline";

const text = texts({
  en: { offline: "Offline. The page follows again when there is a connection." },
  ja: { offline: "オフラインです。接続が戻ると更新されます。" },
});

export function LiveNote({ status }: { status: LiveStatus }) {
  return <div role="status">{status === "offline" && <p class="notice">{text.value.offline}</p>}</div>;
}
