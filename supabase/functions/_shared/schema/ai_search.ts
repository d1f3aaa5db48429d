import { z } from "zod";
import { attributes, SearchQueryV1 } from "./search.ts";
import { text, Timestamp } from "./values.ts";

const MAX_TEXT = 500;

const Asking = {
  locale: z.enum(["ja", "en"]).default("ja").meta({ description: "The language of the text and of what is replied" }),
  lat: z.number().min(-90).max(90).optional().meta({
    description: "Where the device is, for “near here”. Needs `lng`",
  }),
  lng: z.number().min(-180).max(180).optional().meta({ description: "Needs `lat`" }),
  time_zone: text(1, 64).default("Asia/Tokyo").meta({
    description: "The zone of the asker's clock (IANA), which “tomorrow at 9” is about",
  }),
};

type Problem = readonly [param: string, message: string];

function problemsOf({ lat, lng, time_zone }: { lat?: number; lng?: number; time_zone: string }): Problem[] {
  return [
    ...(lat === undefined) !== (lng === undefined)
      ? [[lat === undefined ? "lat" : "lng", "`lat` and `lng` go together."] as const]
      : [],
    ...isTimeZone(time_zone)
      ? []
      : [["time_zone", "Must be a time zone of the IANA database, for example Asia/Tokyo."] as const],
  ];
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const Words = text(1, MAX_TEXT).refine((words) => words.trim() !== "", "Must not be blank.");

export const AiSearchParseRequest = z.strictObject({
  query: Words.meta({
    description: "What the user looks for, in their words",
    examples: ["明日9時から18時まで渋谷駅の近く、2,000円以内、屋根付き"],
  }),
  ...Asking,
}).superRefine((body, context) => {
  for (const [param, message] of problemsOf(body as never)) {
    context.addIssue({ code: "custom", path: [param], message });
  }
}).meta({ id: "AiSearchParseRequest" });

const FORMS = {
  query: ["query"],
  parse: ["message", "context"],
  register_key: ["provider_id", "api_key"],
} as const;

export const AiSearchRequest = z.strictObject({
  query: Words.optional().meta({
    description: "Form A: what the user looks for, in their words",
    examples: ["tomorrow 9 to 6 near Shibuya station, under 2,000 yen, covered"],
  }),
  action: z.enum(["parse", "register_key"]).optional().meta({ description: "Form B" }),
  message: Words.optional().meta({
    description: "With `parse`: what the user says, also of the search before (“cheaper”, “and with EV charging”)",
  }),
  context: SearchQueryV1.optional().meta({
    description: "With `parse`: the query that the message is about. Nothing is remembered between requests",
  }),
  provider_id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/).optional().meta({
    description: "With `register_key`: an AI provider: what stands before the slash of its models' names",
    examples: ["openai"],
  }),
  api_key: z.string().regex(/^[!-~]{8,500}$/).optional().meta({
    description:
      "With `register_key`: the user's own key. It is kept in the vault, never shown, and used for their requests only",
    writeOnly: true,
  }),
  ...Asking,
}).superRefine((body, context) => {
  const issue = (param: string, message: string) => context.addIssue({ code: "custom", path: [param], message });
  for (const [param, message] of problemsOf(body as never)) issue(param, message);
  const form = body.action ?? "query";
  for (const [other, names] of Object.entries(FORMS)) {
    for (const name of names) {
      const isThere = body[name as keyof typeof body] !== undefined;
      if (other !== form && isThere) {
        issue(name, `Must not be sent ${body.action ? `with the action ${form}` : "without an action"}.`);
      }
      if (other === form && !isThere && name !== "context") issue(name, "Is required.");
    }
  }
}).meta({ id: "AiSearchRequest", description: "Form A has `query`; form B has `action` and what belongs to it" });

const Note = z.object({
  text: z.string().meta({ description: "The words that it is about; empty for what was not said" }),
  field: z.string().meta({ examples: ["entry_at"] }),
  value: z.union([z.string(), z.number()]).nullable(),
  reason: z.string().meta({ description: "A sentence in the language of the request" }),
}).meta({ id: "AiSearchNote" });

const attributeNames = Object.keys(attributes) as [keyof typeof attributes, ...(keyof typeof attributes)[]];

const Understood = {
  location: z.object({
    name: z.string(),
    lat: z.number(),
    lng: z.number(),
    source: z.string().meta({
      description:
        "`gsi` or `nominatim` (a geocoder), `places` (prefectures and municipalities), `lots` (the names of lots), " +
        "`device`, or `context`",
    }),
  }).nullable().meta({ description: "Null: no place was named, or it was not found (`unresolved` says so)" }),
  entry_at: Timestamp.nullable(),
  exit_at: Timestamp.nullable(),
  max_price: z.int().nullable().meta({ description: "In yen: for the stay, without one for an hour" }),
  filters: z.array(z.enum(attributeNames)),
  confidence: z.number().min(0).max(1).meta({
    description:
      "How sure it is that this is what was asked for; less where numbers of the text and of the answer differ",
  }),
  query: SearchQueryV1.meta({ description: "Ready for `GET /v1/parking-lots?query=`" }),
  nearby: z.string().nullable().meta({
    description:
      "Path and query of a `GET` of the lots near the place for the stay; null without a place or without a stay",
  }),
  assumptions: z.array(Note).meta({ description: "What was taken for granted" }),
  unresolved: z.array(Note).meta({ description: "What the user has to decide" }),
  parser: z.enum(["model", "rules"]),
  model: z.string().nullable(),
};

export const AiSearchAnswer = z.object(Understood).meta({ id: "AiSearchAnswer" });

export const AiSearchReply = z.object({
  status: z.enum(["parsed", "need_info", "error"]).meta({
    description:
      "`need_info`: something that a search needs is missing, which `reply` asks for. `error`: no search was understood",
  }),
  reply: z.string().meta({ description: "For the user, in the language of the request" }),
  ...Understood,
  query: SearchQueryV1.nullable().meta({ description: "Null with `error`" }),
}).meta({ id: "AiSearchReply" });

export const RegisteredAiKey = z.object({ status: z.literal("registered"), provider_id: z.string() })
  .meta({ id: "RegisteredAiKey" });

export const AiKeys = z.object({
  keys: z.array(z.object({ provider_id: z.string(), created_at: Timestamp, updated_at: Timestamp })),
}).meta({ id: "AiKeys" });
