/** The tools: each calls one operation of the contract, or the search in words and then a list of lots. */
import { z } from "zod";
import { readBody } from "../_shared/http/input.ts";
import { AiSearchAnswer, AiSearchParseRequest } from "../_shared/schema/ai_search.ts";
import { Lang as LangName } from "../_shared/schema/codes.ts";
import { Fee, FeeRequest } from "../_shared/schema/fees.ts";
import { Fit, Vehicle } from "../_shared/schema/fit.ts";
import { LotDetail, LotDetailQuery } from "../_shared/schema/lot_detail.ts";
import { NearbyParkingLot, NearbyQuery } from "../_shared/schema/parking_lots.ts";
import {
  CurrentSession,
  FinalizedSession,
  FinalizeSession,
  NewSession,
  StartedSession,
} from "../_shared/schema/parking_sessions.ts";
import { FoundLot } from "../_shared/schema/search.ts";
import { Id } from "../_shared/schema/values.ts";
import { NewSavedParkingLot, SavedParkingLot } from "../me/saved_parking_lots.schema.ts";
import { feeLineLabels } from "./labels.ts";
import { type Lang, langFor } from "./lang.ts";
import { type Call, operations } from "./operations.ts";
import * as texts from "./texts.ts";

/** Hints about the effects of a tool, by their names in the protocol. */
interface Effects {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const READS: Effects = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ADDS: Effects = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ENDS: Effects = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

interface Result<O extends z.ZodObject> {
  /** As the operation returned it. The output schema checks it, and drops fields that it does not have. */
  readonly data: unknown;
  readonly text: (data: z.output<O>, lang: Lang) => string;
}

interface Definition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly effects: Effects;
  readonly input: I;
  readonly output: O;
  /** The tool's names of the operation's fields, where they differ. */
  readonly fields?: Readonly<Record<string, string>>;
  run(call: Call, input: z.output<I>, lang: Lang): Promise<Result<O>>;
}

export interface Tool extends Omit<Definition<z.ZodObject, z.ZodObject>, "run"> {
  /** The structured result and its text. Throws an ApiError for input that the schema rejects. */
  call(call: Call, input: unknown, headers: Headers): Promise<{ data: Record<string, unknown>; text: string }>;
}

const lang = LangName.optional().meta({
  description: "Language of the text of the result. Default: that of `Accept-Language`, else Japanese.",
});

function tool<I extends z.ZodObject, O extends z.ZodObject>({ run, ...rest }: Definition<I, O>): Tool {
  return {
    ...rest,
    async call(call, sent, headers) {
      const input = readBody(rest.input, sent);
      const chosen = langFor((input as { lang?: Lang }).lang, headers);
      const { data, text } = await run(call, input, chosen);
      const parsed = rest.output.parse(data);
      return { data: parsed, text: text(parsed, chosen) };
    },
  };
}

const parking_lot_id = Id.meta({ description: "The parking lot, for example from `find_parking`" });
const { entry_at, exit_at, vehicle_type } = FeeRequest.shape;
const limit = z.int().min(1).max(20).default(5).meta({ description: "Maximum number of lots" });

const FindInput = z.strictObject({
  query: AiSearchParseRequest.shape.query.optional().meta({
    description:
      "The search in the user's own words, in Japanese or English: place, time, price, conditions. Without it `lat` and " +
      "`lng` are required.",
  }),
  lat: NearbyQuery.shape.lat.optional().meta({
    description: "Latitude of the place, or of the user if `query` names no place. Requires `lng`.",
  }),
  lng: NearbyQuery.shape.lng.optional().meta({ description: "Longitude. Requires `lat`." }),
  radius_m: NearbyQuery.shape.radius_m.unwrap().optional().meta({
    description: "Search radius in metres, without `query`. Default: 500.",
  }),
  filters: NearbyQuery.shape.filters.unwrap().optional().meta({
    description: "Conditions and the stay, without `query`",
  }),
  sort: NearbyQuery.shape.sort.unwrap().optional().meta({ description: "Order of the lots, without `query`" }),
  vehicle: Vehicle.optional().meta({ description: "Without `query`. Adds `fit` to each lot." }),
  vehicle_type: NearbyQuery.shape.vehicle_type.unwrap().optional().meta({
    description: "Without `query`: a code of category `vehicle_type`. Default: `standard`.",
  }),
  time_zone: AiSearchParseRequest.shape.time_zone.unwrap().optional().meta({
    description: "With `query`: IANA time zone of the user, for times such as “tomorrow at 9”. Default: Asia/Tokyo.",
  }),
  limit,
  lang,
}).superRefine((input, context) => {
  const issue = (param: string, message: string) => context.addIssue({ code: "custom", path: [param], message });
  if ((input.lat === undefined) !== (input.lng === undefined)) {
    issue(input.lat === undefined ? "lat" : "lng", "`lat` and `lng` must be sent together.");
  }
  if (input.query === undefined && input.lat === undefined) issue("query", "Send `query`, or `lat` and `lng`.");
  const others = ["radius_m", "filters", "sort", "vehicle", "vehicle_type"] as const;
  for (const name of input.query === undefined ? [] : others) {
    if (input[name] !== undefined) issue(name, "Must not be sent with `query`. Say it in the query.");
  }
  if (input.query === undefined && input.time_zone !== undefined) issue("time_zone", "Must be sent with `query`.");
});

const FindOutput = z.object({
  parking_lots: z.array(z.union([NearbyParkingLot, FoundLot])).meta({
    description: "Lots of `GET /v1/parking-lots/nearby` for a stay, of `GET /v1/parking-lots` for words without one",
  }),
  understood: AiSearchAnswer.nullable().meta({ description: "How `query` was read. Null without `query`." }),
});

const find_parking = tool({
  title: "Find parking",
  description:
    "Finds public parking lots from the user's own words (place, time, price, conditions), or near a point. With a stay " +
    "each lot has its fee for that stay, and lots that cannot be used for it come last. Use the ids with the other tools.",
  effects: { ...READS, openWorldHint: true },
  input: FindInput,
  output: FindOutput,
  run: async (call, { query, time_zone, limit, lang: _, ...input }, chosen) => {
    const text = ({ parking_lots, understood }: z.output<typeof FindOutput>, lang: Lang) =>
      texts.foundText(parking_lots, understood, lang);
    if (query === undefined) {
      const usable = input.filters?.entry_at === undefined ? undefined : "first";
      const parking_lots = await call(operations.nearbyParkingLots, { query: { ...input, usable, limit } });
      return { data: { parking_lots, understood: null }, text };
    }
    const { lat, lng } = input;
    const body = { query, locale: chosen, lat, lng, time_zone };
    const understood = AiSearchAnswer.parse(await call(operations.searchInWords, { body }));
    return { data: { parking_lots: await lotsOf(call, understood, limit), understood }, text };
  },
});

/** The lots of a search in words. Without its place there are none, and its open questions say so. */
async function lotsOf(call: Call, { location, nearby, query }: z.output<typeof AiSearchAnswer>, limit: number) {
  if (nearby !== null) {
    const asked = Object.fromEntries(new URL(nearby, "http://operations").searchParams);
    return await call(operations.nearbyParkingLots, { query: { ...asked, limit } });
  }
  if (location === null) return [];
  return await listOf(call, { query, limit });
}

async function listOf(call: Call, query: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { items } = await call(operations.searchParkingLots, { query }) as { items: unknown };
  return items;
}

const stay = { parking_lot_id, entry_at, exit_at, vehicle_type, lang };
const PriceOutput = Fee.pick({ total_amount: true, currency: true });

const price_stay = tool({
  title: "Price a stay",
  description: "The fee of a stay at a lot. Fees are never guessed: an unknown one is the error `fee_unknown`.",
  effects: READS,
  input: z.strictObject(stay),
  output: PriceOutput,
  fields: { id: "parking_lot_id" },
  run: async (call, input) => ({
    data: await feeOf(call, input),
    text: (fee, lang) => texts.priceText(fee, input, lang),
  }),
});

const explain_fee = tool({
  title: "Explain a fee",
  description:
    "The fee of a stay with every line of its calculation, the rules that were not applied, and its surprises: where it is " +
    "higher than a reader of the sign expects, and when to leave to pay less.",
  effects: READS,
  input: z.strictObject(stay),
  output: Fee,
  fields: { id: "parking_lot_id" },
  run: async (call, input, chosen) => {
    const [data, labels] = await Promise.all([feeOf(call, input), feeLineLabels(call, chosen)]);
    return { data, text: (fee, lang) => texts.explainedText(fee, input, labels, lang) };
  },
});

type StayInput = z.output<ReturnType<typeof z.strictObject<typeof stay>>>;

function feeOf(call: Call, { parking_lot_id, lang: _, ...body }: StayInput): Promise<unknown> {
  return call(operations.calculateFee, { params: { id: parking_lot_id }, body });
}

const compare_lots = tool({
  title: "Compare lots",
  description: "Two to ten lots for one stay: the fee of each, whether it is usable then, and its surprises.",
  effects: READS,
  input: z.strictObject({
    parking_lot_ids: z.array(Id).min(2).max(10).meta({ description: "The lots, for example from `find_parking`" }),
    entry_at,
    exit_at,
    vehicle_type,
    lang,
  }),
  output: z.object({ parking_lots: z.array(FoundLot).meta({ description: "Lots that are not public are missing" }) }),
  fields: { ids: "parking_lot_ids" },
  run: async (call, { parking_lot_ids: ids, lang: _, ...stay }) => {
    const asked = new Set(ids).size;
    return {
      data: { parking_lots: await listOf(call, { ids, ...stay, limit: asked }) },
      text: ({ parking_lots }, lang) => texts.comparedText(parking_lots, asked, lang),
    };
  },
});

const FitInput = z.strictObject({ parking_lot_id, ...Vehicle.shape, lang }).refine(
  (input) => Object.keys(Vehicle.shape).some((name) => typeof input[name as keyof typeof Vehicle.shape] === "number"),
  { message: "Send at least one dimension of the vehicle.", path: ["height_m"] },
);

const will_it_fit = tool({
  title: "Will it fit",
  description: "Whether a vehicle of these dimensions fits into a lot, and which limit it exceeds.",
  effects: READS,
  input: FitInput,
  output: z.object({ ...LotDetail.pick({ id: true, name: true }).shape, fit: Fit }),
  fields: { id: "parking_lot_id" },
  run: async (call, { parking_lot_id, lang: _, ...vehicle }) => ({
    data: await call(operations.readParkingLot, { params: { id: parking_lot_id }, query: { vehicle } }),
    text: ({ fit, name }, lang) => texts.fitText(fit, name, lang),
  }),
});

const lot_hours = tool({
  title: "Hours of a lot",
  description: "Whether a lot is open now, when that changes, and its hours of the next seven days.",
  effects: READS,
  input: z.strictObject({
    parking_lot_id,
    entry_at: LotDetailQuery.shape.entry_at,
    exit_at: LotDetailQuery.shape.exit_at,
    lang,
  }),
  output: LotDetail.pick({
    id: true,
    name: true,
    time_zone: true,
    derived: true,
    is_open_now: true,
    next_change_at: true,
    hours: true,
    week: true,
    date_overrides: true,
    planned_stay: true,
  }),
  fields: { id: "parking_lot_id" },
  run: async (call, { parking_lot_id, lang, ...stay }, chosen) => ({
    data: await call(operations.readParkingLot, {
      params: { id: parking_lot_id },
      query: { include: ["hours", "week"], ...stay, lang: lang ?? chosen },
    }),
    text: texts.hoursText,
  }),
});

const start_session = tool({
  title: "Start a session",
  description: "Starts a parking session of the user at a lot. A user has at most one running session. Needs a token.",
  effects: { ...ADDS, idempotentHint: false },
  input: z.strictObject({ ...NewSession.shape, lang }),
  output: StartedSession,
  run: async (call, { lang: _, ...body }) => ({
    data: await call(operations.startSession, { body }),
    text: ({ session_id }, lang) => texts.startedText(session_id, lang),
  }),
});

const read_meter = tool({
  title: "Read the meter",
  description: "The user's running session: what leaving now costs, and when that increases. Needs a token.",
  effects: READS,
  input: z.strictObject({ lang }),
  output: CurrentSession,
  run: async (call) => ({ data: await call(operations.readCurrentSession, {}), text: texts.meterText }),
});

const finish_session = tool({
  title: "End a session",
  description:
    "Ends the user's session and stores its fee. It cannot be started again, so ask the user first. Needs a token.",
  effects: ENDS,
  input: z.strictObject({
    session_id: Id.meta({ description: "The session, from `start_session` or `read_meter`" }),
    ...FinalizeSession.shape,
    lang,
  }),
  output: FinalizedSession,
  fields: { id: "session_id" },
  run: async (call, { session_id, lang: _, ...body }) => ({
    data: await call(operations.finalizeSession, { params: { id: session_id }, body }),
    text: texts.finishedText,
  }),
});

const save_lot = tool({
  title: "Save a lot",
  description: "Adds a lot to the user's saved lots. Saving it again changes nothing. Needs a token.",
  effects: ADDS,
  input: z.strictObject({ ...NewSavedParkingLot.shape, lang }),
  output: SavedParkingLot,
  run: async (call, { lang: _, ...body }) => ({
    data: await call(operations.saveParkingLot, { body }),
    text: (_, lang) => texts.savedText(lang),
  }),
});

export const tools: Readonly<Record<string, Tool>> = {
  find_parking,
  price_stay,
  explain_fee,
  compare_lots,
  will_it_fit,
  lot_hours,
  start_session,
  read_meter,
  finish_session,
  save_lot,
};

/** The tool of this name. */
export function toolNamed(name: string): Tool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
