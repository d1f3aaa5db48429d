import assert from "node:assert/strict";
import { z } from "zod";
import { groups } from "../../supabase/functions/openapi/contract.ts";
import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import {
  BODY_LIMIT,
  MAX_DRAIN_BYTES,
  readBody,
  readJson,
  readQuery,
} from "../../supabase/functions/_shared/http/input.ts";
import { CrashReport } from "../../supabase/functions/report-crash/crash_reports.schema.ts";
import { Id, text } from "../../supabase/functions/_shared/schema/values.ts";
import { textLengths } from "../support/cases.ts";

const Query = z.strictObject({
  lat: z.number().min(-90).max(90).optional(),
  limit: z.int().min(1).max(100).default(50),
  open: z.boolean().optional(),
  ids: z.array(z.string()).optional(),
  filters: z.strictObject({ tags: z.array(z.string()).optional(), height: z.number().optional() }).default({}),
  name: z.string().optional(),
});
const Body = z.strictObject({ name: text(1, 3).optional(), list: z.array(z.strictObject({ n: z.int() })).optional() });

type Expected = readonly (readonly [param: string | null, code: string])[];

function rejectsWith(expected: Expected) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, "validation_error");
    const errors = error.details?.["errors"] as { param: string | null; code: string }[];
    assert.deepEqual(errors.map(({ param, code }) => [param, code]), expected);
    assert.equal(error.param, expected[0]?.[0]);
    return true;
  };
}

const accepted: [query: string, value: Record<string, unknown>][] = [
  ["", {}],
  ["?", {}],
  ["?lat=35.68", { lat: 35.68 }],
  ["?lat=-0.5&limit=100", { lat: -0.5, limit: 100 }],
  ["?limit=7&&", { limit: 7 }],
  ["?open=true", { open: true }],
  ["?ids=a,b", { ids: ["a", "b"] }],
  ["?ids=a&ids=b,c&ids=d", { ids: ["a", "b", "c", "d"] }],
  ["?lat=-1.2e-7", { lat: -1.2e-7 }],
  ["?lat=5.0E-4", { lat: 0.0005 }],
  ["?limit=1e2", { limit: 100 }],
  ["?lat=8e%2B1", { lat: 80 }],
  ["?filters=%7B%22tags%22%3A%5B%22covered%22%5D%7D", { filters: { tags: ["covered"] } }],
  ["?name=a+b%20c%2Bd", { name: "a b c+d" }],
  ["?name=%E6%9D%B1%E4%BA%AC", { name: "東京" }],
  ["?name=a=b", { name: "a=b" }],
  ["?name=", { name: "" }],
];
for (const [query, value] of accepted) {
  Deno.test(`input: the query "${query}" is read as ${JSON.stringify(value)}`, () => {
    assert.deepEqual(readQuery(Query, query), { limit: 50, filters: {}, ...value });
  });
}

const numbers = [
  "",
  "e3",
  "1e",
  "1e3.5",
  "1e400",
  "1e+1",
  "%205",
  "5%20",
  "+5",
  "0x10",
  "05",
  "1_000",
  "1,5",
  ".5",
  "5.",
  "--1",
  "NaN",
  "Infinity",
];
for (const number of [...numbers, "１", "null", "true", "%22%22", "-"]) {
  Deno.test(`input: the query rejects "${number}" as a number`, () => {
    assert.throws(() => readQuery(Query, `?lat=${number}`), rejectsWith([["lat", "invalid_type"]]));
  });
}

const rejection: [query: string, errors: Expected][] = [
  ["?lat=91", [["lat", "too_big"]]],
  ["?lat=-90.1", [["lat", "too_small"]]],
  [`?lat=${"9".repeat(400)}`, [["lat", "invalid_type"]]],
  ["?limit=0", [["limit", "too_small"]]],
  ["?limit=101", [["limit", "too_big"]]],
  ["?limit=1.5", [["limit", "invalid_type"]]],
  ["?limit=9007199254740993", [["limit", "too_big"], ["limit", "too_big"]]],
  ["?open=1", [["open", "invalid_type"]]],
  ["?lat", [["lat", "invalid_type"]]],
  ["?lat=1&lat=1", [["lat", "duplicate"]]],
  ["?name=a&name=b", [["name", "duplicate"]]],
  ["?filters={}&filters={}", [["filters", "duplicate"]]],
  ["?ids=%ff&ids=a", [["ids", "malformed"]]],
  ["?filters=%7B", [["filters", "invalid_type"]]],
  ["?filters=[]", [["filters", "invalid_type"]]],
  ["?filters=null", [["filters", "invalid_type"]]],
  ["?filters=", [["filters", "invalid_type"]]],
  ["?filters=[object Object]", [["filters", "invalid_type"]]],
  ["?filters[height]=2&filters[tags][]=a&limit=0", [["filters", "malformed"], ["limit", "too_small"]]],
  ["?filters%5Bheight%5D=2", [["filters", "malformed"]]],
  ["?ids[]=a&ids[]=b", [["ids", "malformed"]]],
  ["?name[x]=a", [["name", "malformed"]]],
  ["?nope[x]=a", [["nope[x]", "unknown_key"]]],
  ['?filters={"height":"2"}', [["filters.height", "invalid_type"]]],
  ['?filters={"tags":["a",1]}', [["filters.tags.1", "invalid_type"]]],
  ['?filters={"nope":1}', [["filters.nope", "unknown_key"]]],
  ['?filters={"__proto__":{}}', [["filters.__proto__", "unknown_key"]]],
  ['?filters={"tags":["a\\u0000"]}', [["filters.tags.0", "invalid_text"]]],
  ["?nope=1", [["nope", "unknown_key"]]],
  ["?__proto__=1", [["__proto__", "unknown_key"]]],
  ["?constructor=1", [["constructor", "unknown_key"]]],
  ["?LAT=1", [["LAT", "unknown_key"]]],
  ["?name=a%00b", [["name", "invalid_text"]]],
  ["?name=%ff", [["name", "malformed"]]],
  ["?name=%ED%A0%80", [["name", "malformed"]]],
  ["?name=%zz", [["name", "malformed"]]],
  ["?name=%", [["name", "malformed"]]],
  ["?%ff=1", [[null, "malformed"]]],
  ["?lat=x&limit=0&nope=1", [["lat", "invalid_type"], ["limit", "too_small"], ["nope", "unknown_key"]]],
];
for (const [query, errors] of rejection) {
  Deno.test(`input: the query "${query.slice(0, 50)}" is rejected for ${JSON.stringify(errors)}`, () => {
    assert.throws(() => readQuery(Query, query), rejectsWith(errors));
  });
}

async function posted(body: BodyInit | null, headers: Record<string, string> = { "content-type": "application/json" }) {
  return readBody(Body, await readJson(new Request("http://localhost/", { method: "POST", body, headers })));
}

Deno.test("input: a body is JSON in UTF-8 with any spelling of its media type", async () => {
  for (const type of ["application/json", "application/json;charset=utf-8", 'Application/JSON ; Charset="UTF-8"']) {
    assert.deepEqual(await posted('{"name":"東京"}', { "content-type": type }), { name: "東京" }, type);
  }
  assert.deepEqual(await posted("\ufeff{}"), {});
});

Deno.test("input: a body of another media type, charset or encoding is 415", async () => {
  const wrong: Record<string, string>[] = [
    { "content-type": "text/plain" },
    { "content-type": "application/json; charset=shift_jis" },
    { "content-type": "application/jsonp" },
    { "content-type": "application/json, text/plain" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-type": "application/json", "content-encoding": "gzip" },
    {},
  ];
  for (const headers of wrong) {
    const body = new TextEncoder().encode("{}");
    await assert.rejects(posted(body, headers), { code: "unsupported_media_type" }, JSON.stringify(headers));
  }
});

Deno.test("input: text is counted in characters, not in UTF-16 units", async () => {
  assert.deepEqual(await posted('{"name":"🚗🚗🚗"}'), { name: "🚗🚗🚗" });
  await assert.rejects(posted('{"name":"🚗🚗🚗🚗"}'), rejectsWith([["name", "too_big"]]));
  await assert.rejects(posted('{"name":""}'), rejectsWith([["name", "too_small"]]));
});

const bodies: [body: BodyInit | null, errors: Expected][] = [
  ["", [[null, "required"]]],
  [null, [[null, "required"]]],
  [" ", [[null, "malformed"]]],
  ["{", [[null, "malformed"]]],
  ["{'name':1}", [[null, "malformed"]]],
  ["{}{}", [[null, "malformed"]]],
  ["NaN", [[null, "malformed"]]],
  ['{"name":"\0"}', [[null, "malformed"]]],
  [new Uint8Array([0x22, 0xc3, 0x28, 0x22]), [[null, "malformed"]]],
  [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), [[null, "malformed"]]],
  ["null", [[null, "invalid_type"]]],
  ["[]", [[null, "invalid_type"]]],
  ['"text"', [[null, "invalid_type"]]],
  ['{"name":"a\\u0000"}', [["name", "invalid_text"]]],
  ['{"name":"\\ud800"}', [["name", "invalid_text"]]],
  ['{"name":null}', [["name", "invalid_type"]]],
  ['{"nick":1}', [["nick", "unknown_key"]]],
  ['{"__proto__":{"name":"x"}}', [["__proto__", "unknown_key"]]],
  ['{"list":[{"n":1},{"n":"1"},{}]}', [["list.1.n", "invalid_type"], ["list.2.n", "required"]]],
  ['{"list":[{"n":1,"m":2}]}', [["list.0.m", "unknown_key"]]],
];
for (const [body, errors] of bodies) {
  const visible = body instanceof Uint8Array ? `bytes ${[...body]}` : JSON.stringify(body);
  Deno.test(`input: the body ${visible} is rejected for ${JSON.stringify(errors)}`, async () => {
    await assert.rejects(posted(body), rejectsWith(errors));
  });
}

Deno.test("input: a missing field of any type is required", () => {
  const fields = z.strictObject({
    kind: z.enum(["a", "b"]),
    one: z.literal("x"),
    flag: z.boolean(),
    list: z.array(Id),
  });
  for (const sent of [{}, { kind: undefined }]) {
    assert.throws(
      () => readBody(fields, sent),
      rejectsWith([["kind", "required"], ["one", "required"], ["flag", "required"], ["list", "required"]]),
    );
  }
  assert.throws(
    () => readBody(fields, { kind: null, one: "", flag: true, list: [] }),
    rejectsWith([["kind", "invalid_value"], ["one", "invalid_value"]]),
  );
});

Deno.test("input: an error lists a hundred field errors at most", async () => {
  const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key_${n}`, "\0"]));
  for (const body of [keys, { list: Array(5000).fill({}) }]) {
    const failure: ApiError = await posted(JSON.stringify(body)).then(() => assert.fail(), (error) => error);
    assert.equal((failure.details?.["errors"] as unknown[]).length, 100);
  }
});

Deno.test("input: a body nested a hundred thousand deep is rejected and not read to its end", async () => {
  // The text at the end is invalid. No error names it, because the check ends at the greatest depth.
  const deep = `${"[".repeat(100_000)}"\\u0000"${"]".repeat(100_000)}`;
  await assert.rejects(posted(deep), rejectsWith([[null, "malformed"]]));
  await assert.rejects(posted(`{"nick":${deep}}`), rejectsWith([[null, "malformed"]]));
});

Deno.test("input: brackets, commas and escaped quotes of a text are no levels and no values", async () => {
  const name = '"\\\\\\"[{,'; // an escaped backslash, an escaped quote, and what would open levels
  const many = `{"list":[{"n":1}],"name":"${"[{,".repeat(100_000)}"}`;
  await assert.rejects(posted(`{"name":${name}${"[".repeat(50)}"}`), rejectsWith([["name", "too_big"]]));
  await assert.rejects(posted(many), rejectsWith([["name", "too_big"]]));
});

Deno.test("input: a body may have a value for each 20 bytes of its limit, and is not read beyond", async () => {
  const most = Math.floor(BODY_LIMIT / 20);
  const list = (values: number) => `{"list":[${Array(values).fill('{"n":1}').join(",")}]}`;
  const items = (most - 3) / 2; // the object, its list, and two for each item: counted as brackets and commas
  assert.equal((await posted(list(Math.floor(items)))).list?.length, Math.floor(items));
  for (
    const many of [
      list(Math.ceil(items) + 1),
      `[${Array(most).fill(0).join(",")}]`,
      "[],".repeat(most / 2 + 1),
      ",".repeat(most),
    ]
  ) {
    await assert.rejects(posted(many), rejectsWith([[null, "too_big"]]));
  }
});

/** Sends `total` bytes without a length, and counts how many were taken. */
function streamed(total: number) {
  const chunk = new TextEncoder().encode(" ".repeat(64 * 1024));
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= total) return controller.close();
      controller.enqueue(chunk);
      sent += chunk.length;
    },
    cancel() {
      cancelled = true;
    },
  });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/", { method: "POST", body, headers });
  return { request, sent: () => sent, cancelled: () => cancelled };
}

Deno.test("input: a body over 1 MiB is drained up to a bound, so that the client receives the 413", async () => {
  const large = streamed(2 * BODY_LIMIT);
  await assert.rejects(readJson(large.request), { code: "payload_too_large" });
  assert.equal(large.sent(), 2 * BODY_LIMIT);
  const endless = streamed(64 * BODY_LIMIT);
  await assert.rejects(readJson(endless.request), { code: "payload_too_large" });
  assert.ok(endless.sent() < MAX_DRAIN_BYTES + BODY_LIMIT, `${endless.sent()} bytes were read`);
  assert.ok(endless.cancelled());
  const declared = posted("x", { "content-type": "application/json", "content-length": String(MAX_DRAIN_BYTES + 1) });
  await assert.rejects(declared, { code: "payload_too_large" });
});

Deno.test("input: a body of exactly 1 MiB is read", async () => {
  assert.deepEqual(await posted(`{}${" ".repeat(BODY_LIMIT - 2)}`), {});
  await assert.rejects(posted(`{}${" ".repeat(BODY_LIMIT - 1)}`), { code: "payload_too_large" });
});

Deno.test("report-crash: a stack of too many bytes is rejected with a sentence that has the limit", () => {
  const body = { stack: "駐".repeat(21_846), device: "Pixel 9", app_version: "1.0" };
  const { error } = CrashReport.safeParse(body);
  assert.deepEqual(error?.issues.map(({ path, message }) => [path, message]), [
    [["stack"], "Must be at most 65536 bytes of UTF-8."],
  ]);
});

Deno.test("input: every message of a field error ends with a full stop", () => {
  const sent = { name: "long", list: [{ n: 1.5 }, { n: "1" }, {}], other: 1 };
  assert.throws(() => readBody(Body, sent), (error) => {
    assert.ok(error instanceof ApiError);
    const errors = error.details?.["errors"] as { param: string; message: string }[];
    assert.deepEqual(errors.map(({ param }) => param).sort(), ["list.0.n", "list.1.n", "list.2.n", "name", "other"]);
    for (const { message } of errors) assert.match(message, /^[A-Z].*[^.]\.$/);
    return true;
  });
});

const messages: [schema: z.ZodType, value: unknown, message: string][] = [
  [z.string(), 1, "Must be a string."],
  [z.strictObject({}), "x", "Must be an object."],
  [z.boolean(), "yes", "Must be true or false."],
  [z.int(), 1.5, "Must be an integer."],
  [z.number().max(5), 9, "Must be at most 5."],
  [z.number().min(-90), -91, "Must be at least -90."],
  [z.number().positive(), 0, "Must be more than 0."],
  [z.number().multipleOf(5), 3, "Must be a multiple of 5."],
  [text(1, 3), "long", "Must have at most 3 characters."],
  [text(1, 3), "", "Must not be empty."],
  [z.array(z.int()).max(1), [1, 2], "Must have at most 1 item."],
  [z.enum(["ja", "en"]), "fr", "Must be one of: ja, en."],
  [z.literal("good"), "bad", "Must be good."],
  [Id, "1", "Must be a UUID, for example 6f7c0f0e-0d0c-4a53-9a6f-1d1f0a3b7c21."],
  [z.iso.date(), "1 May", "Must be a date, for example 2026-09-01."],
  [z.string().regex(/^[A-Z]{3}$/), "yen", "Must match the pattern /^[A-Z]{3}$/."],
  [z.string().startsWith("/"), "a", "Must start with /."],
  [z.string().regex(/^[A-Z]$/, "Must be a capital letter."), "a", "Must be a capital letter."],
  [z.union([z.string(), z.int()]), true, "Must match the schema of the contract."],
];

interface Definition {
  readonly type: string;
  readonly error?: unknown;
  readonly format?: string;
  readonly checks?: z.core.$ZodCheck[];
  readonly shape?: object;
}

type Find = (definition: Definition) => boolean | undefined;

/** The places in a schema where something is found. */
function placesOf(find: Find, schema: z.core.$ZodType, place: string, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const def: Definition = schema._zod.def;
  const within = (name: string, value: unknown) =>
    [value].flat().flatMap((inner) => inner instanceof z.core.$ZodType ? placesOf(find, inner, name, seen) : []);
  return [
    ...(find(def) ? [place] : []),
    ...Object.values(def).flatMap((value) => within(place, value)),
    ...Object.entries(def.shape ?? {}).flatMap(([name, value]) => within(`${place}.${name}`, value)),
  ];
}

/** The places in all requests where something is found. */
const inRequests = (find: Find) =>
  groups.flatMap(({ routes }) => routes).flatMap(({ name, params, query, body }) =>
    [params, query, body].flatMap((schema) => schema ? placesOf(find, schema, name) : [])
  );

/** Patterns and unions whose message would be the expression itself. */
const isWithoutMessage: Find = ({ type, error, checks }) =>
  checks?.some((check) => {
    const { format, error }: { format?: string; error?: unknown } = check._zod.def;
    return format === "regex" && !error;
  }) || (type === "union" && !error);

/** Lengths that zod counts, in UTF-16 units, of texts of any characters. */
const isInUnits: Find = ({ type, format, checks = [] }) => {
  const kinds = checks.map((check) => check._zod.def.check);
  const isOfAny = format === undefined ? !kinds.includes("string_format") : format === "url";
  return type === "string" && kinds.includes("max_length") && isOfAny;
};

Deno.test("input: every pattern and union of a request has a message of its own", () => {
  const one = z.strictObject({
    a: z.string().regex(/^a$/),
    b: z.union([z.int(), z.null()]),
    c: z.string().regex(/^c$/, "C."),
  });
  assert.deepEqual(placesOf(isWithoutMessage, one, "x"), ["x.a", "x.b"]);
  assert.deepEqual(inRequests(isWithoutMessage), []);
});

Deno.test("input: the length of every text of a request is counted in code points", () => {
  const c = z.string().max(3).regex(/^c*$/);
  const one = z.strictObject({ a: z.string().max(3), b: text(0, 3), c, d: z.email(), e: z.url().max(3) });
  assert.deepEqual(placesOf(isInUnits, one, "x"), ["x.a", "x.e"]);
  assert.deepEqual(inRequests(isInUnits), []);
});

Deno.test("input: a text is in NFC, and its length counts code points after NFC", () => {
  for (const { text: sent, length } of textLengths()) {
    assert.equal(text(length, length).parse(sent), sent.normalize("NFC"));
    assert.equal(text(0, length - 1).safeParse(sent).success, false);
  }
  assert.equal(text(1, 1).parse("\u1112\u1161\u11ab"), "\ud55c");
  assert.equal(text(3, 3).parse("\ufa19\u304b\u3099\u{2f800}"), "\ufa19\u304c\u{2f800}", "kanji of names stay");
});

/** The type of a parameter without defaults and optionality. */
function typeOf(schema: z.core.$ZodType): string {
  const def: { type: string; innerType?: z.core.$ZodType } = schema._zod.def;
  return def.innerType ? typeOf(def.innerType) : def.type;
}

/** The errors of one parameter of a query. */
function errorsOf(query: z.ZodObject, search: string, param: string): { code: string; message: string }[] {
  try {
    readQuery(query, search);
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    const errors = error.details?.["errors"] as { param: string | null; code: string; message: string }[];
    return errors.filter((one) => one.param === param);
  }
}

Deno.test("input: every query parameter that is an object describes how to send it, and its example is accepted", () => {
  const names = new Set<string>();
  for (const { name, query } of groups.flatMap(({ routes }) => routes)) {
    for (const [param, schema] of Object.entries(query?.shape ?? {})) {
      if (typeOf(schema as z.ZodType) !== "object") continue;
      names.add(param);
      const wrong = [
        `${param}=[object Object]`,
        `${param}=%5Bobject%20Object%5D`,
        `${param}[key]=2`,
        `${param}%5Bkey%5D=2`,
        `${param}[a][b][]=2&${param}[c]=3`,
        `${param}=[1]`,
        `${param}=1`,
      ];
      for (const search of wrong) {
        const errors = errorsOf(query!, search, param);
        assert.equal(errors.length, 1, `${name}: ${search}`);
        const [, json, sent] =
          /^Must be an object as URL-encoded JSON\. For example, (\{.+\}) is sent as (\S+)\.$/.exec(
            errors[0]!.message,
          ) ?? assert.fail(`${name}: ${errors[0]!.message}`);
        assert.equal(sent, `${param}=${encodeURIComponent(json!)}`);
        assert.deepEqual(errorsOf(query!, sent!, param), [], `${name}: ${sent}`);
      }
    }
  }
  assert.deepEqual([...names].sort(), ["center", "filters", "query", "vehicle"]);
});

Deno.test("input: every query parameter that is a list describes that it is sent with commas", () => {
  let lists = 0;
  for (const { name, query } of groups.flatMap(({ routes }) => routes)) {
    for (const [param, schema] of Object.entries(query?.shape ?? {})) {
      if (typeOf(schema as z.ZodType) !== "array") continue;
      lists++;
      for (const search of [`${param}[]=a&${param}[]=b`, `${param}[0]=a`]) {
        const errors = errorsOf(query!, search, param);
        const message = `Send the list as one parameter with commas: ${param}=a,b.`;
        assert.deepEqual(errors, [{ param, code: "malformed", message }], name);
      }
    }
  }
  assert.ok(lists > 3);
});

for (const [schema, value, message] of messages) {
  Deno.test(`input: ${JSON.stringify(value)} is rejected with "${message}"`, () => {
    assert.throws(() => readBody(z.strictObject({ value: schema }), { value }), (error) => {
      assert.ok(error instanceof ApiError);
      const errors = error.details?.["errors"] as { message: string }[];
      assert.deepEqual(errors.map((field) => field.message), [message]);
      return true;
    });
  });
}
