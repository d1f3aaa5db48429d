import { z } from "zod";
import { isTimeZone } from "../time_zone.ts";
import { attributes, SearchQueryV1 } from "./search.ts";
import { text, Timestamp } from "./values.ts";

const MAX_TEXT = 500;

const commonFields = {
  locale: z.string().max(35).regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, "Must be a BCP 47 tag, for example ja-JP.")
    .default("ja").meta({
      description: "Language of the reply, as a BCP 47 tag. Japanese, and English for all others.",
      examples: ["ja-JP"],
    }),
  lat: z.number().min(-90).max(90).optional().meta({
    description: "Latitude of the device or of the map: “near here”, and of places with one name. Requires `lng`.",
  }),
  lng: z.number().min(-180).max(180).optional().meta({ description: "Its longitude. Requires `lat`." }),
  time_zone: text(1, 64).default("Asia/Tokyo").meta({
    description: "IANA time zone of the user, for times such as “tomorrow at 9”",
  }),
};

type Problem = readonly [param: string, message: string];

function problemsOf({ lat, lng, time_zone }: { lat?: number; lng?: number; time_zone: string }): Problem[] {
  return [
    ...(lat === undefined) !== (lng === undefined)
      ? [[lat === undefined ? "lat" : "lng", "`lat` and `lng` must be sent together."] as const]
      : [],
    ...isTimeZone(time_zone)
      ? []
      : [["time_zone", "Must be a time zone of the IANA database, for example Asia/Tokyo."] as const],
  ];
}

const Words = text(1, MAX_TEXT).refine((words) => words.trim() !== "", "Must not be blank.");

export const AiSearchParseRequest = z.strictObject({
  query: Words.meta({
    description: "The search in the user's own words",
    examples: ["明日9時から18時まで渋谷駅の近く、2,000円以内、屋根付き"],
  }),
  ...commonFields,
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
    description: "Form A: the search in the user's own words",
    examples: ["tomorrow 9 to 6 near Shibuya station, under 2,000 yen, covered"],
  }),
  action: z.enum(["parse", "register_key"]).optional().meta({ description: "Form B" }),
  message: Words.optional().meta({
    description:
      "With `parse`: the user's message. It can refer to the previous search (“cheaper”, “and with EV charging”).",
  }),
  context: SearchQueryV1.optional().meta({
    description: "With `parse`: the query that the message refers to. The service stores nothing between requests.",
  }),
  provider_id: z.string().regex(
    /^[a-z0-9][a-z0-9_-]{0,39}$/,
    "Must begin with a lower-case letter or digit and have at most 40 lower-case letters, digits, hyphens and underscores.",
  ).optional().meta({
    description: "With `register_key`: an AI provider, the part of its model names before the slash",
    examples: ["openai"],
  }),
  api_key: z.string().regex(/^[!-~]{8,500}$/, "Must have 8 to 500 ASCII characters without spaces.").optional().meta({
    description:
      "With `register_key`: the user's own key. It is stored encrypted, never returned, and used only for this " +
      "user's requests.",
    writeOnly: true,
  }),
  ...commonFields,
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
      if (other === form && !isThere && name !== "context") issue(name, "This field is required.");
    }
  }
}).meta({
  id: "AiSearchRequest",
  description: "Form A has `query`. Form B has `action` and the fields of that action.",
});

const Note = z.object({
  text: z.string().meta({ description: "The words that the note refers to. Empty if it refers to something missing." }),
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
        "`gsi` or `nominatim` (geocoders), `places`, `lots` (names of lots), `text` (coordinates in the text), `device`, or `context`",
    }),
  }).nullable().meta({
    description: "Null if no place was named or the place was not found. In the second case `unresolved` contains it.",
  }),
  entry_at: Timestamp.nullable(),
  exit_at: Timestamp.nullable(),
  max_price: z.int().nullable().meta({ description: "In yen. For the stay, or for one hour if there is no stay." }),
  radius_m: z.int().nullable().meta({ description: "Also if no place was found" }),
  filters: z.array(z.enum(attributeNames)),
  confidence: z.number().min(0).max(1).meta({
    description: "Confidence in the result. Lower if the numbers in the text and in the result differ.",
  }),
  query: SearchQueryV1.meta({ description: "Can be sent as `GET /v1/parking-lots?query=`" }),
  nearby: z.string().nullable().meta({
    description:
      "Path and query of a `GET` request for lots near the place during the stay. Null without a place or without " +
      "a stay.",
  }),
  assumptions: z.array(Note).meta({ description: "Assumptions made" }),
  unresolved: z.array(Note).meta({ description: "Open questions for the user" }),
  parser: z.enum(["model", "rules"]),
  model: z.string().nullable(),
};

export const AiSearchAnswer = z.object(Understood).meta({ id: "AiSearchAnswer" });

export const AiSearchReply = z.object({
  status: z.enum(["parsed", "need_info", "error"]).meta({
    description:
      "`need_info`: information for a search is missing, and `reply` requests it from the user. `error`: the " +
      "message is not a search.",
  }),
  reply: z.string().meta({ description: "Text for the user, in the language of the request" }),
  ...Understood,
  query: SearchQueryV1.nullable().meta({ description: "Null with `error`" }),
}).meta({ id: "AiSearchReply" });

export const RegisteredAiKey = z.object({ status: z.literal("registered"), provider_id: z.string() })
  .meta({ id: "RegisteredAiKey" });

export const AiKeys = z.object({
  keys: z.array(z.object({ provider_id: z.string(), created_at: Timestamp, updated_at: Timestamp })),
}).meta({ id: "AiKeys" });
