// client/: the address of the service, and parameters that are objects.
import assert from "node:assert/strict";
import { createParkingClient } from "../../client/src/index.ts";
import { fakeService, json } from "./fake_service.ts";

/** Where a client with this `url` sends a request. */
async function addressOf(url: string): Promise<string> {
  let sent = "";
  const client = createParkingClient({
    url,
    fetch: (request) => {
      sent = request.url;
      return Promise.resolve(Response.json({}));
    },
  });
  await client.GET("/v1/tags");
  return sent;
}

Deno.test("client url: the address of the project, of its functions, or of a service at a domain of its own", async () => {
  for (const origin of ["https://x.supabase.co", "http://127.0.0.1:54321", "http://localhost:54321"]) {
    for (const path of ["", "/", "/functions", "/functions/", "/functions/v1", "/functions/v1/"]) {
      assert.equal(await addressOf(origin + path), `${origin}/functions/v1/tags`, origin + path);
    }
    for (const path of ["/v1", "/v1/"]) assert.equal(await addressOf(origin + path), `${origin}/v1/tags`, path);
  }
  assert.equal(await addressOf("https://example.com/parking/v1"), "https://example.com/parking/v1/tags");
});

Deno.test("client url: any other address is an error that names what is expected", () => {
  const wrong = [
    "",
    "x.supabase.co",
    "/functions",
    "ftp://x.supabase.co",
    "https://x.supabase.co/rest/v1",
    "https://x.supabase.co/auth/v1/",
    "https://x.supabase.co/functions/v1/me",
    "https://x.supabase.co/dashboard",
    "https://x.supabase.co?key=1",
    "https://x.supabase.co/functions#a",
    "https://user@x.supabase.co",
  ];
  for (const url of wrong) {
    assert.throws(() => createParkingClient({ url }), (error: unknown) => {
      assert.ok(error instanceof TypeError);
      assert.ok(error.message.startsWith(`url is ${url}. Give the address of the Supabase project (https://`), url);
      return true;
    });
  }
});

Deno.test("client query: objects are sent as JSON, lists and texts as they are", async () => {
  await using service = fakeService(json([]));
  const filters = { max_height_m: 2.1, tags: ["covered" as const] };
  const vehicle = { height_m: 1.9 };
  await service.client().GET("/v1/parking-lots/nearby", { params: { query: { lat: 35, lng: 139, filters, vehicle } } });
  const query = { v: 1, attributes: ["covered" as const], keywords: ["駅前 & 北"] };
  const center = { lat: 35, lng: 139 };
  await service.client().GET("/v1/parking-lots", { params: { query: { query, center, include: ["total"] } } });
  const [near, search] = service.received.map(({ path }) => new URLSearchParams(path.split("?")[1]));
  assert.deepEqual([near!.get("lat"), near!.get("filters")], ["35", JSON.stringify(filters)]);
  assert.equal(near!.get("vehicle"), JSON.stringify(vehicle));
  assert.deepEqual([search!.get("query"), search!.get("center")], [JSON.stringify(query), JSON.stringify(center)]);
  assert.equal(search!.get("include"), "total");
});
