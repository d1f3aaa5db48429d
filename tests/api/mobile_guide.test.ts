// docs/clients/mobile.md: its requests get the responses that the page shows.
import assert from "node:assert/strict";
import { blocksOf, sendRequests } from "../support/http_guide.ts";
import { signUp } from "../support/people.ts";
import { inDatabase } from "./lots.ts";
import { aPricedLot, inMinutes } from "./sessions.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/clients/mobile.md", import.meta.url));

Deno.test("docs/clients/mobile.md: every request gets the response that the page shows", async () => {
  const [user, lot] = [await signUp(), await aPricedLot()];
  const [place] = await inDatabase((sql) =>
    sql<{ lat: number; lng: number }[]>`select lat, lng from public.parking_lots where id = ${lot}`
  );
  const values = new Map(Object.entries({
    user: user.id,
    token: user.token,
    lot,
    lat: String(place!.lat),
    lng: String(place!.lng),
    exit_at: inMinutes(1),
    entered: inMinutes(1),
    left: inMinutes(3),
    since: new Date().toISOString(),
  }));
  const requests = await sendRequests("docs/clients/mobile.md", blocksOf(PAGE), values);
  assert.ok(requests >= 15, `${requests} requests`);
});
