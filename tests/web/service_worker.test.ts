// apps/web/worker/: which requests the service worker answers.
import assert from "node:assert/strict";

const SCOPE = "https://lots.test/";
type Listener = (event: { request: Request; respondWith(reply: unknown): void }) => void;

/** Runs the service worker, and returns what it does with a request. */
async function fetchListener(): Promise<Listener> {
  const listeners = new Map<string, Listener>();
  Object.assign(globalThis, {
    BUILD: { version: "1", files: ["./", "settings.json", "main-1a2b3c4d.js"] },
    registration: { scope: SCOPE },
    addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
  });
  const added = globalThis.addEventListener;
  await import("../../apps/web/worker/service_worker.ts");
  Reflect.deleteProperty(globalThis, "addEventListener");
  assert.notEqual(globalThis.addEventListener, added);
  return listeners.get("fetch")!;
}

/** No request leaves the test. */
function stub(): Disposable {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.resolve(new Response(""));
  return { [Symbol.dispose]: () => globalThis.fetch = fetch };
}

Deno.test("service worker: it answers for files of the build, and for no request to the service or with a token", async () => {
  const listener = await fetchListener();
  using _ = stub();
  const answers = (path: string, init: RequestInit = {}) => {
    let isAnswered = false;
    const respondWith = (reply: Promise<unknown>) => {
      isAnswered = true;
      reply.catch(() => {});
    };
    listener({
      request: new Request(new URL(path, SCOPE), init),
      respondWith: respondWith as (reply: unknown) => void,
    });
    return isAnswered;
  };
  const token = { headers: { Authorization: "Bearer 1" } };
  assert.ok(answers("settings.json"));
  for (const path of ["functions/v1/me", "functions/v1/parking-lots?bbox=1", "storage/v1/object/review-1.jpg"]) {
    assert.ok(!answers(path), path);
    assert.ok(!answers(path, token), path);
  }
  // A name like that of a file of the build, for example of a photo.
  assert.ok(!answers("storage/v1/object/photo-1a2b3c4d.jpg"));
  assert.ok(!answers("settings.json", token));
  assert.ok(!answers("settings.json", { method: "POST" }));
  assert.ok(!answers("https://elsewhere.test/settings.json"));
});
