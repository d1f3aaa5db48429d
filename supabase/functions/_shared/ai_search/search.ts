/**
 * AI search: converts a text to a search that the API accepts. Every text is parsed by rules. If their confidence is
 * too low, models are called, and their answers are checked against the numbers of the text. The place is looked up
 * last.
 */
import type { z } from "zod";
import type { Database } from "../db/client.ts";
import { ApiError } from "../errors.ts";
import type { AiGateway } from "../providers/ai_gateway.ts";
import type { Geocoder } from "../providers/geocoder.ts";
import type { AiSearchAnswer, AiSearchReply, RegisteredAiKey } from "../schema/ai_search.ts";
import { locate, LOCATE_CALLS, type Located, type Location } from "./locate.ts";
import { callModels, type ModelResult } from "./models.ts";
import { convertModelAnswer } from "./model_answer.ts";
import { PROMPT_VERSION } from "./prompt.ts";
import { type Lang, missingMessage, replyText, unparseableMessage } from "./reply.ts";
import { parseText, withCenter } from "./rules/parse.ts";
import type { ParsedSearch, Query } from "./rules/types.ts";

/** The functions of the database that a search in words calls. */
export const SEARCH_IN_WORDS_CALLS = ["list_my_ai_keys", "read_ai_keys", "log_ai_request", ...LOCATE_CALLS] as const;

export interface SearchDependencies {
  /** Of the caller. */
  readonly db: Database<(typeof SEARCH_IN_WORDS_CALLS)[number]>;
  readonly service: Database<(typeof SEARCH_IN_WORDS_CALLS)[number]>;
  readonly ai: AiGateway;
  readonly geocoder: Geocoder;
  readonly userId: string;
}

export interface TextSearch {
  readonly text: string;
  readonly locale: Lang;
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
    throw new ApiError("unparseable", {
      message: `${unparseableMessage(request.locale)} ${missingMessage(missing, request.locale)}`.trim(),
      param: "query",
      details: { missing },
    });
  }
  return answerOf(result);
}

/** Form B: the same with a reply for the user, even if nothing was understood. */
export async function replyToMessage(dependencies: SearchDependencies, request: TextSearch): Promise<Reply> {
  const { locale: lang, time_zone: timeZone } = request;
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
  // Runs first, because it counts the request.
  const { keys } = await db.rpc<{ keys: readonly unknown[] }>("list_my_ai_keys");
  const now = new Date();
  const options = { locale: request.locale, now, timeZone: request.time_zone, context: request.context };
  const rules = parseText(request.text, options);
  const { rulesThreshold, gateway, logText } = ai.settings;
  const isCertain = rules.status === "parsed" && rules.confidence >= rulesThreshold;
  let modelResult: ModelResult | undefined;
  if (gateway !== null && !isCertain) {
    const ownKeys = keys.length > 0
      ? await service.rpc<Record<string, string>>("read_ai_keys", { user_id: userId })
      : {};
    modelResult = await callModels(ai, gateway, { ...options, text: request.text, lang: request.locale }, ownKeys);
  }
  const modelSearch = modelResult?.answer ? convertModelAnswer(modelResult.answer, request.text, rules, options) : null;
  const parsed = modelSearch ?? rules;
  const position = request.lat === undefined || request.lng === undefined
    ? null
    : { lat: request.lat, lng: request.lng };
  const located = parsed.status === "parsed"
    ? await locate(service, geocoder, { parsed, lang: request.locale, position })
    : { location: null, assumptions: [], unresolved: [] };
  const parser = modelSearch === null ? "rules" : "model";
  const model = modelSearch === null ? null : modelResult!.model;
  await service.rpc("log_ai_request", {
    user_id: userId,
    request: {
      form,
      lang: request.locale,
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
  return { parsed, parser, model, ...located };
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
  if (radius_m !== null) search.set("radius_m", String(radius_m));
  if (sort !== null) search.set("sort", sort);
  if (type !== undefined) search.set("vehicle_type", type);
  if (Object.keys(measures).length > 0) search.set("vehicle", JSON.stringify(measures));
  return `/v1/parking-lots/nearby?${search}`;
}
