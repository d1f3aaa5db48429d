// The geocoder's client against GSI's and Nominatim's protocols: what is taken of the results, and what is an outage.
import assert from "node:assert/strict";
import { Geocoders } from "../../local/standins/geocoder.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { geocoder } from "../../supabase/functions/_shared/providers/geocoder.ts";
import { ProviderDown } from "../../supabase/functions/_shared/providers/calls/errors.ts";

const standIn = new Geocoders();
const closing = new AbortController();
const server = Deno.serve(
  { signal: closing.signal, hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) => standIn.handle(request, new URL(request.url).pathname),
);

function clientOf(kind: string | undefined) {
  const environment: Record<string, string | undefined> = {
    SUPABASE_URL: "http://127.0.0.1",
    SUPABASE_ANON_KEY: "anon",
    SUPABASE_SERVICE_ROLE_KEY: "service",
    GEOCODER: kind,
    GEOCODER_URL: `http://127.0.0.1:${server.addr.port}`,
    GEOCODER_USER_AGENT: "parking-test (test@example.com)",
  };
  const config = readConfig((name) => environment[name]);
  return geocoder(() => config);
}

async function script(control: unknown): Promise<void> {
  const response = await standIn.control(
    new Request("http://control", { method: "POST", body: JSON.stringify({ reset: true, ...control as object }) }),
  );
  assert.equal(response.status, 204, await response.text());
}

async function received() {
  return (await (await standIn.control(new Request("http://control"))).json()).requests as {
    geocoder: string;
    text: string;
    user_agent: string;
  }[];
}

for (const kind of ["gsi", "nominatim"]) {
  Deno.test(`geocoder: ${kind}: a place is found with its position, and the request names the service`, async () => {
    await script({});
    assert.deepEqual(await clientOf(kind).find("東京タワー", "ja"), {
      name: "東京タワー",
      lat: 35.6586,
      lng: 139.7454,
    });
    const [request] = await received();
    assert.deepEqual([request!.geocoder, request!.text, request!.user_agent], [
      kind,
      "東京タワー",
      "parking-test (test@example.com)",
    ]);
  });

  Deno.test(`geocoder: ${kind}: no result is no place`, async () => {
    await script({});
    assert.equal(await clientOf(kind).find("どこにもない場所", "ja"), null);
  });

  Deno.test(`geocoder: ${kind}: a temporary failure is retried once, a second one is an outage`, async () => {
    await script({ answers: [{ times: 1, status: 500 }] });
    assert.equal((await clientOf(kind).find("東京駅", "ja"))?.lat, 35.6812);
    for (
      const answer of [{ status: 500 }, { status: 502, html: true }, { status: 200, html: true }, {
        status: 200,
        body: {},
      }]
    ) {
      await script({ answers: [answer] });
      await assert.rejects(clientOf(kind).find("東京駅", "ja"), ProviderDown, JSON.stringify(answer));
      assert.equal((await received()).length, 2);
    }
  });

  Deno.test(`geocoder: ${kind}: a rejected request is not sent again`, async () => {
    await script({ answers: [{ status: 403 }] });
    await assert.rejects(clientOf(kind).find("東京駅", "ja"), ProviderDown);
    assert.equal((await received()).length, 1);
  });
}

Deno.test("gsi: of loose matches only those with the text in their name count, the shortest first", async () => {
  const feature = (title: string, lat: number) => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [139, lat] },
    properties: { addressCode: "", title },
  });
  await script({
    answers: [{
      status: 200,
      body: [feature("神奈川県焼山", 1), feature("静岡県焼津市本町", 2), feature("静岡県焼津市", 3), { broken: true }],
    }],
  });
  assert.deepEqual(await clientOf("gsi").find("焼津市", "ja"), { name: "静岡県焼津市", lat: 3, lng: 139 });
});

Deno.test("geocoder: a result whose position is on no map is no place", async () => {
  for (const [lat, lng] of [[90.01, 139], [-91, 139], [35, 180.5], [35, -181], [35, null], ["35", 139]] as const) {
    const features = [{ geometry: { coordinates: [lng, lat] }, properties: { title: "東京駅" } }];
    await script({ answers: [{ status: 200, body: features }] });
    assert.equal(await clientOf("gsi").find("東京駅", "ja"), null, `gsi: ${lat}, ${lng}`);
    await script({ answers: [{ status: 200, body: [{ lat: `${lat}`, lon: `${lng}`, display_name: "東京駅" }] }] });
    const found = await clientOf("nominatim").find("東京駅", "ja");
    // Nominatim writes numbers as texts.
    assert.deepEqual(found, lat === "35" ? { name: "東京駅", lat: 35, lng: 139 } : null, `nominatim: ${lat}, ${lng}`);
  }
});

Deno.test("geocoder: without the setting there is none", async () => {
  const none = clientOf(undefined);
  assert.deepEqual([none.kind, await none.find("東京駅", "ja")], [null, null]);
});

Deno.test.afterAll(() => closing.abort());
