// Reads a list of so many items of one kilobyte with `pages` or `stream`, and prints how much its memory grew at most.
// Run with --v8-flags=--expose-gc: what is counted is in use.
import { createParkingClient } from "../../client/src/index.ts";

const [kind, count] = [Deno.args[0]!, Number(Deno.args[1])];
const PAGE = 100;

const item = (n: number) => ({ id: `${n}`, text: `${n}`.padEnd(1_000, "x") });

function page(request: Request): Response {
  const start = Number(new URL(request.url).searchParams.get("cursor") ?? 0);
  const items = Array.from({ length: PAGE }, (_, n) => item(start + n));
  return Response.json({ items, next_cursor: start + PAGE < count ? `${start + PAGE}` : null });
}

function lines(): Response {
  let n = 0;
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    pull(controller) {
      if (n === count) controller.close();
      else controller.enqueue(encoder.encode(JSON.stringify(item(n++)) + "\n"));
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } });
}

function used(): number {
  (globalThis as unknown as { gc(): void }).gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

const client = createParkingClient({
  url: "http://127.0.0.1:9/v1",
  fetch: (request) => Promise.resolve(kind === "pages" ? page(request) : lines()),
});
const items = kind === "pages" ? client.pages("/v1/me/vehicles") : client.stream("/v1/me/export");
let read = 0;
let peak = 0;
let start = 0;
for await (const _ of items) {
  read++;
  // The first pages fill caches.
  if (read === 300) start = used();
  else if (read > 300 && read % 250 === 0) peak = Math.max(peak, used());
}
if (read !== count) throw new Error(`${read} of ${count} items`);
console.log(peak - start);
