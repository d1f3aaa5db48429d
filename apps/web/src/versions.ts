/// <reference lib="dom" />
/** The service worker: it keeps the application for times without a connection, and brings new versions. */
import { signal } from "@preact/signals";
import { quiet } from "./quiet.ts";

/** Whether a version is there that is newer than the one of this page. */
export const hasNewVersion = signal(false);

const CHECK_MS = 30 * 60_000;
const OWN = document.querySelector<HTMLMetaElement>("meta[name=version]")?.content;

let worker: ServiceWorkerRegistration | undefined;

/** Keeps the application, and follows its versions. Browsers allow it on HTTPS and on this machine only. */
export async function followVersions(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  await quiet();
  const registration = worker = await navigator.serviceWorker.register("service_worker.js", { updateViaCache: "none" });
  const follow = (next: ServiceWorker | null) => {
    if (next?.state === "installed") void offer(next);
    next?.addEventListener("statechange", () => next.state === "installed" && void offer(next));
  };
  follow(registration.waiting);
  follow(registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));
  let checked = Date.now();
  const check = () => {
    if (document.visibilityState !== "visible" || Date.now() < checked + CHECK_MS) return;
    checked = Date.now();
    registration.update().catch((error: unknown) => console.warn("There may be a new version.", error));
  };
  document.addEventListener("visibilitychange", check);
  setInterval(check, CHECK_MS);
}

/** A version that waits: the one of this page takes over at once, another when the viewer wants it. */
async function offer(waiting: ServiceWorker): Promise<void> {
  if (navigator.serviceWorker.controller === null) return;
  const { port1, port2 } = new MessageChannel();
  const version = await new Promise<string>((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    waiting.postMessage("version", [port2]);
  });
  if (version === OWN) waiting.postMessage("take over");
  else hasNewVersion.value = true;
}

/** Goes on with the new version. */
export function useNewVersion(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
  if (worker?.waiting) worker.waiting.postMessage("take over");
  else location.reload();
}
