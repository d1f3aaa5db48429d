// The nearest 50 lots over HTTP, through the gateway and the function, over one kept connection.
// deno run -A tests/bench/nearby_http.ts   (needs API_URL, DB_URL and PUBLISHABLE_KEY; `deno task bench` sets them)
import postgres from "postgres";
import { LIMIT, type Search } from "./contenders/ours.ts";
import { searchPlaces } from "./lots.ts";
import { compare, ms, type Subject, table } from "./measure.ts";

const RADII = [500, 5_000, 50_000];
const { DB_URL, API_URL, PUBLISHABLE_KEY } = Deno.env.toObject();
if (!DB_URL || !API_URL || !PUBLISHABLE_KEY) throw new Error("No platform is named: run `deno task bench`");

const sql = postgres(DB_URL, { max: 1, onnotice: () => {} });
const places = await searchPlaces(sql, 500);
await sql.end();

const client: Subject<Search> = {
  name: "GET /v1/parking-lots/nearby",
  run: async ({ lat, lng, radius_m }) => {
    const query = new URLSearchParams({
      lat: String(lat),
      lng: String(lng),
      radius_m: String(radius_m),
      limit: String(LIMIT),
    });
    const response = await fetch(`${API_URL}/v1/parking-lots/nearby?${query}`, {
      headers: { apikey: PUBLISHABLE_KEY },
    });
    const body = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return body.length;
  },
};

const rows: string[][] = [];
for (const radius_m of RADII) {
  const [figures] = await compare([client], places.map((place) => ({ ...place, radius_m })));
  rows.push([`${radius_m} m`, ms(figures!.p50), ms(figures!.p95), String(figures!.results)]);
}
console.log(`${client.name}, one request at a time\n`);
console.log(table(["", "p50 ms", "p95 ms", "results"], rows));
