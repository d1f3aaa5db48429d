// Geocoders: GSI's address search and Nominatim, over a few well-known places and what is scripted.
//
//   GET  /control/geocoder     what was received: {requests: [{geocoder, text, user_agent, at}]}, the last 200
//   POST /control/geocoder     {reset?, places?: [{name, lat, lng}], answers?: [{times?, status, delay_ms?, html?, body?}]}: the
//                              first answer that is left is given in place of a result
import { z } from "zod";

const Place = z.strictObject({ name: z.string().min(1), lat: z.number(), lng: z.number() });
type Place = z.output<typeof Place>;

const Answer = z.strictObject({
  times: z.int().min(1).optional(),
  status: z.int().min(200).max(599),
  delay_ms: z.int().min(0).optional(),
  html: z.boolean().optional(),
  body: z.unknown().optional(),
});

const Control = z.strictObject({
  reset: z.boolean().optional(),
  places: z.array(Place).optional(),
  answers: z.array(Answer).optional(),
});

const PLACES: readonly Place[] = [
  { name: "東京駅", lat: 35.6812, lng: 139.7671 },
  { name: "渋谷駅", lat: 35.658, lng: 139.7016 },
  { name: "新宿駅", lat: 35.6896, lng: 139.7006 },
  { name: "池袋駅", lat: 35.7295, lng: 139.7109 },
  { name: "品川駅", lat: 35.6285, lng: 139.7388 },
  { name: "横浜駅", lat: 35.4658, lng: 139.6223 },
  { name: "名古屋駅", lat: 35.1709, lng: 136.8815 },
  { name: "京都駅", lat: 34.9858, lng: 135.7588 },
  { name: "大阪駅", lat: 34.7025, lng: 135.4959 },
  { name: "博多駅", lat: 33.5897, lng: 130.4207 },
  { name: "札幌駅", lat: 43.0687, lng: 141.3508 },
  { name: "東京タワー", lat: 35.6586, lng: 139.7454 },
  { name: "Shibuya Station", lat: 35.658, lng: 139.7016 },
  { name: "Tokyo Station", lat: 35.6812, lng: 139.7671 },
  { name: "Tokyo Tower", lat: 35.6586, lng: 139.7454 },
];
const MAX_KEPT = 200;

export class Geocoders {
  #places: Place[] = [...PLACES];
  #answers: { readonly answer: z.output<typeof Answer>; left: number }[] = [];
  #received: { geocoder: string; text: string; user_agent: string | null; at: string }[] = [];

  async control(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json({ requests: this.#received });
    const parsed = Control.safeParse(await request.json().catch(() => null));
    if (request.method !== "POST" || !parsed.success) return new Response(parsed.error?.message, { status: 400 });
    const { reset, places = [], answers } = parsed.data;
    if (reset) {
      this.#places = [...PLACES];
      this.#answers = [];
      this.#received = [];
    }
    this.#places.push(...places);
    if (answers) this.#answers = answers.map((answer) => ({ answer, left: answer.times ?? Infinity }));
    return new Response(null, { status: 204 });
  }

  async handle(request: Request, path: string): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const text = searchParams.get("q") ?? "";
    const geocoder = path === "/address-search/AddressSearch" ? "gsi" : path === "/search" ? "nominatim" : null;
    if (request.method !== "GET" || geocoder === null) return new Response(null, { status: 404 });
    const user_agent = request.headers.get("user-agent");
    this.#received = [...this.#received, { geocoder, text, user_agent, at: new Date().toISOString() }].slice(-MAX_KEPT);
    const scripted = this.#answers.find(({ left }) => left > 0);
    if (scripted) {
      scripted.left--;
      return await replyWith(scripted.answer);
    }
    if (geocoder === "nominatim" && searchParams.get("format") !== "jsonv2") {
      return Response.json({ error: "unknown format" }, { status: 400 });
    }
    const found = this.#places.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()) && text !== "");
    return Response.json(geocoder === "gsi" ? found.map(asFeature) : found.map(asResult));
  }
}

async function replyWith({ status, delay_ms, html, body }: z.output<typeof Answer>): Promise<Response> {
  if (delay_ms) await new Promise((resolve) => setTimeout(resolve, delay_ms));
  if (html) return new Response("<html></html>", { status, headers: { "content-type": "text/html" } });
  return Response.json(body ?? [], { status });
}

function asFeature({ name, lat, lng }: Place) {
  return {
    type: "Feature",
    geometry: { type: "Point", coordinates: [lng, lat] },
    properties: { addressCode: "", title: name },
  };
}

function asResult({ name, lat, lng }: Place, index: number) {
  return {
    place_id: index + 1,
    licence: "stand-in",
    osm_type: "node",
    osm_id: index + 1,
    lat: String(lat),
    lon: String(lng),
    category: "place",
    type: "yes",
    place_rank: 30,
    importance: 0.5,
    display_name: name,
    boundingbox: [lat, lat, lng, lng].map(String),
  };
}
