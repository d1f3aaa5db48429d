/**
 * AI search: converts a text to a search that the API accepts. Every text is parsed by rules, and its place is looked up. If
 * the confidence is too low, models are called, and their answers are checked against the numbers of the text. The geocoder
 * is asked at the same time.
 */
import type { z } from "zod";
import type { Database } from "../db/client.ts";
import { ApiError } from "../errors.ts";
import { inBackground } from "../http/background.ts";
import type { AiGateway } from "../providers/ai_gateway.ts";
import type { Geocoder } from "../providers/geocoder.ts";
import type { AiSearchAnswer, AiSearchReply, RegisteredAiKey } from "../schema/ai_search.ts";
import { askGeocoder, locate, LOCATE_CALLS, type Located, type Location, lookUp, NOWHERE } from "./locate.ts";
import { callModels, type ModelResult } from "./models.ts";
import { convertModelAnswer } from "./model_answer.ts";
import { PROMPT_VERSION } from "./prompt.ts";
import { langOf, missingMessage, replyText, unparseableMessage } from "./reply.ts";
import { parseText, unparseable, withCenter } from "./rules/parse.ts";
import { settlePlace } from "./rules/settle.ts";
import type { ParsedSearch, Query } from "./rules/types.ts";

/** The functions of the database that a search in words calls. */
export const SEARCH_IN_WORDS_CALLS = ["list_my_ai_keys", "read_ai_keys", "log_ai_request", ...LOCATE_CALLS] as const;

export interface SearchDependencies {
  /** Of the caller. */
  readonly db: Database<(typeof SEARCH_IN_WORDS_CALLS)[number]>;
  readonly service: Database<(typeof SEARCH_IN_WORDS_CALLS)[number]>;
  readonly ai: AiGateway;
  readonly geocoder: Geocoder;
  /** Null for a guest, for whom neither models nor the geocoder are asked. */
  readonly userId: string | null;
}

export interface TextSearch {
  readonly text: string;
  readonly locale: string;
  readonly time_zone: string;
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
  /** The query that the text refines. */
  readonly context?: Query | undefined;
}

type Answer = z.input<typeof AiSearchAnswer>;
type Reply = z.input<typeof AiSearchReply>;

interface SearchResult extends Located {
  readonly parsed: ParsedSearch;
  readonly parser: "model" | "rules";
  readonly model: string | null;
}

/** Form A. Throws `unparseable` for a text that is not a search. */
export async function searchByText(dependencies: SearchDependencies, request: TextSearch): Promise<Answer> {
  const result = await runSearch(dependencies, request, "query");
  const { parsed: { status, missing } } = result;
  if (status === "unparseable") {
    const lang = langOf(request.locale);
    throw new ApiError("unparseable", {
      message: [
        unparseableMessage(lang),
        missingMessage(missing, lang),
        ...result.unresolved.map(({ reason }) => reason),
      ]
        .join(" "),
      param: "query",
      details: { missing, ...result.unresolved.length > 0 && { reason: "place_not_looked_up" } },
    });
  }
  return answerOf(result);
}

/** Form B: the same with a reply for the user, even if nothing was understood. */
export async function replyToMessage(dependencies: SearchDependencies, request: TextSearch): Promise<Reply> {
  const { time_zone: timeZone } = request;
  const lang = langOf(request.locale);
  const result = await runSearch(dependencies, request, "message");
  const { parsed, location } = result;
  const answer = answerOf(result);
  if (parsed.status === "unparseable") {
    return { ...answer, status: "error", reply: unparseableMessage(lang), query: null };
  }
  const context = {
    place: location?.name || null,
    parsed,
    lang,
    timeZone,
    notes: [...answer.assumptions, ...answer.unresolved],
  };
  const reply = replyText(context);
  if (location !== null) return { ...answer, status: "parsed", reply };
  return {
    ...answer,
    status: "need_info",
    reply: [reply, missingMessage(["place"], lang)].join(lang === "ja" ? "" : " "),
  };
}

/** Form B: stores a user's own key of an AI provider. */
export function registerKey(
  db: Database<"register_ai_key">,
  key: { readonly provider_id: string; readonly api_key: string },
) {
  return db.rpc<z.input<typeof RegisteredAiKey>>("register_ai_key", key);
}

async function runSearch(
  dependencies: SearchDependencies,
  request: TextSearch,
  form: "query" | "message",
): Promise<SearchResult> {
  const started = performance.now();
  const { db, service, ai, geocoder, userId } = dependencies;
  const lang = langOf(request.locale);
  // Runs first, because it counts the request. A guest is counted before.
  const { keys } = userId === null ? { keys: [] } : await db.rpc<{ keys: readonly unknown[] }>("list_my_ai_keys");
  const now = new Date();
  const options = { locale: lang, now, timeZone: request.time_zone, context: request.context };
  const position = request.lat === undefined || request.lng === undefined
    ? null
    : { lat: request.lat, lng: request.lng };
  const read = parseText(request.text, options);
  const known = await lookUp(service, userId === null ? null : geocoder.kind, read, position);
  const { rulesThreshold, gateway, logText } = ai.settings;
  const first = settlePlace(read, known.words, options);
  const isCertain = first.status === "parsed" && first.confidence >= rulesThreshold;
  const [asked, modelResult] = await Promise.all([
    askGeocoder(service, geocoder, read, known, lang),
    gateway === null || isCertain || userId === null ? undefined : askModels(gateway),
  ]);
  const answer = modelResult?.answer ?? null;
  // A model's verdict counts unless the text has a word of parking.
  const isRefused = answer !== null && !answer.is_parking_search && !read.says_parking;
  const rules = isRefused ? unparseable(options, read.mentions) : settlePlace(read, asked.words, options);
  const converted = answer === null ? null : convertModelAnswer(answer, request.text, read, options);
  const lookup = converted === null || converted.place === read.place ? asked : await lookUpAgain(converted);
  const modelSearch = converted === null ? null : settlePlace(converted, lookup.words, options);
  const parsed = modelSearch ?? rules;
  const located = parsed.status === "parsed"
    ? locate({ parsed, lookup, lang, position })
    // Nothing but a name that the geocoder could not be asked for.
    : {
      ...NOWHERE,
      unresolved: asked.isBusy && !isRefused ? locate({ parsed: read, lookup: asked, lang, position }).unresolved : [],
    };
  const parser = modelSearch === null ? "rules" : "model";
  const model = modelSearch === null ? null : modelResult!.model;
  const logged = service.rpc("log_ai_request", {
    user_id: userId,
    request: {
      form,
      lang,
      text_length: [...request.text].length,
      text: logText ? request.text : null,
      outcome: parsed.status === "unparseable"
        ? "unparseable"
        : form === "message" && !located.location
        ? "need_info"
        : "answered",
      parser,
      model,
      prompt_version: modelResult ? PROMPT_VERSION : null,
      confidence: parsed.confidence,
      ...logOf(modelResult, gateway?.prices?.currency ?? null),
      latency_ms: Math.round(performance.now() - started),
    },
  });
  inBackground(logged, "A search in words is not in the log of searches");
  return { parsed, parser, model, ...located };

  async function askModels(settings: NonNullable<typeof gateway>): Promise<ModelResult> {
    const ownKeys = keys.length > 0
      ? await service.rpc<Record<string, string>>("read_ai_keys", { user_id: userId! })
      : {};
    return await callModels(ai, settings, { ...options, text: request.text, lang }, ownKeys);
  }

  async function lookUpAgain(search: ParsedSearch) {
    const places = await lookUp(service, geocoder.kind, search, position);
    return await askGeocoder(service, geocoder, search, places, lang);
  }
}

function logOf(modelResult: ModelResult | undefined, currency: string | null) {
  const attempts = modelResult?.attempts ?? [];
  const cost = modelResult?.cost ?? null;
  return {
    attempts,
    prompt_tokens: attempts.reduce((sum, { prompt_tokens }) => sum + prompt_tokens, 0),
    completion_tokens: attempts.reduce((sum, { completion_tokens }) => sum + completion_tokens, 0),
    cost,
    currency: cost === null ? null : currency,
  };
}

/** A place that is not found or ambiguous determines the confidence of the answer. */
const UNRESOLVED_CONFIDENCE = 0.5;

function answerOf({ parsed, location, assumptions, unresolved, parser, model }: SearchResult): Answer {
  const query = location === null ? parsed.query : withCenter(parsed, {
    lat: location.lat,
    lng: location.lng,
    ...location.name === "" ? {} : { placeName: location.name.slice(0, 200) },
  });
  const confidence = unresolved.length > 0 ? Math.min(parsed.confidence, UNRESOLVED_CONFIDENCE) : parsed.confidence;
  return {
    location,
    entry_at: parsed.entry_at,
    exit_at: parsed.exit_at,
    max_price: parsed.max_price,
    radius_m: parsed.radius_m,
    filters: [...parsed.filters],
    confidence,
    query,
    nearby: location === null ? null : nearbyOf(parsed, location),
    assumptions: [...parsed.assumptions, ...assumptions],
    unresolved: [...parsed.unresolved, ...unresolved],
    parser,
    model,
  };
}

/** A request for lots near a place with the fee of the stay. Null without a stay. */
function nearbyOf(parsed: ParsedSearch, { lat, lng }: Location): string | null {
  const { entry_at, exit_at, max_price, filters, vehicle, radius_m, sort } = parsed;
  if (entry_at === null || exit_at === null) return null;
  const { type, ...measures } = vehicle ?? {};
  const conditions = {
    entry_at,
    exit_at,
    ...max_price === null ? {} : { max_price },
    ...filters.length === 0 ? {} : { tags: filters },
    // The other dimensions do not filter there. Each lot reports whether the vehicle fits.
    ...typeof measures.height_m === "number" ? { max_height_m: measures.height_m } : {},
  };
  const search = new URLSearchParams({ lat: String(lat), lng: String(lng), filters: JSON.stringify(conditions) });
  search.set("usable", "first");
  if (radius_m !== null) search.set("radius_m", String(radius_m));
  if (sort !== null) search.set("sort", sort);
  if (type !== undefined) search.set("vehicle_type", type);
  if (Object.keys(measures).length > 0) search.set("vehicle", JSON.stringify(measures));
  return `/v1/parking-lots/nearby?${search}`;
}
