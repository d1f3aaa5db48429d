/** Sends a sentence to the service. */
import type { components } from "parking-lot-client";
import { language } from "../../language.ts";
import { client } from "../../service.ts";
import type { Values } from "../../conditions.ts";
import { placeName } from "./place_name.ts";
import { radiusFor } from "./search.ts";
import { type Sentence, sentenceOf } from "./sentence_values.ts";
import { zone } from "./zone.ts";

type Answer = components["schemas"]["AiSearchAnswer"];

export interface Here {
  readonly lat: number;
  readonly lng: number;
  /** Empty for a place of the map, such as its middle. */
  readonly name: string;
}

/** `here` is the place that "near here" means. */
export async function readSentence(text: string, { lat, lng, name }: Here): Promise<Sentence> {
  const time_zone = zone.peek();
  const body = { query: text, locale: language.value, lat, lng, time_zone };
  const { data } = await client.POST("/v1/search/ai", { body });
  // The other forms of the response belong to conversations and to keys of AI providers.
  if (!("parser" in data) || data.query === null) throw new Error("The response is not that of a sentence.");
  const sentence = sentenceOf(text, data as Answer, time_zone, name);
  // Without it the sentence is searched all the same, with the usual circle.
  const known = await knownPlace(sentence).catch(() => ({}));
  return { ...sentence, values: withKnown(sentence.values, known) };
}

/**
 * What the service knows of the place: the circle for its extent, and its name in the reader's language. The answer has the
 * Japanese name, with the prefecture before it.
 */
async function knownPlace({ values: { place, lat, lng } }: Sentence): Promise<Values> {
  if (!place || !lat || !lng) return {};
  const query = { q: place.slice(0, 100), lat: Number(lat), lng: Number(lng), limit: 5, lang: language.value };
  const { data } = await client.GET("/v1/places", { params: { query } });
  const known = data.items.find(({ name, kind }) => kind !== "lot" && place.endsWith(name));
  return known === undefined ? {} : { radius: String(radiusFor(known.radius_m)), place: placeName(known) };
}

/** A radius that the sentence names stays. */
function withKnown(values: Values, known: Values): Values {
  return { ...values, ...known, ...(values["radius"] ? { radius: values["radius"] } : {}) };
}
