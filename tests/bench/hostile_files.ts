// What a client's bytes cost at most: for each reader the largest file or text that it takes, made of the smallest parts,
// refused and accepted. The aim is 100 ms of a core, and 20 MB in addition to the file.
// deno task bench hostile_files   (needs no platform)
import { deflateSync } from "node:zlib";
import { z } from "zod";
import { parseText } from "../../supabase/functions/_shared/ai_search/rules/index.ts";
import { readBody, readJson } from "../../supabase/functions/_shared/http/input.ts";
import { readCertificate } from "../../supabase/functions/_shared/providers/app_store/certificates.ts";
import { DerError, encode, encodeOid, Tag } from "../../supabase/functions/_shared/providers/app_store/der.ts";
import { purchasesIn, ReceiptError } from "../../supabase/functions/_shared/providers/app_store/receipt.ts";
import { MAX_RECEIPT_LENGTH } from "../../supabase/functions/_shared/schema/subscriptions.ts";
import { MAX_PARTS } from "../../supabase/functions/_shared/storage/picture/parts.ts";
import { withoutMetadata } from "../../supabase/functions/_shared/storage/picture.ts";
import { readTariff } from "../../supabase/functions/_shared/tariff_text/read.ts";
import { bytesOf, IMAGE_TYPES, manyParts, picture, pngChunk, pngHeader } from "../support/files.ts";
import { ms, table } from "./measure.ts";

interface Case {
  readonly name: string;
  readonly bytes: number;
  readonly run: () => unknown;
}

const ROUNDS = 5;
const PICTURE_BYTES = 10 * 1024 * 1024;
const BODY_BYTES = 1024 * 1024;

const rows: (string | number)[][] = [];
for (const { name, bytes, run } of cases()) {
  const found = await measure(run);
  rows.push([
    name,
    Math.round(bytes / 1024),
    ms(found.median),
    ms(found.slowest),
    found.megabytes.toFixed(1),
    found.outcome,
  ]);
}
console.log(table(["file or text", "KiB", "ms, median", "ms, slowest", "MB", "outcome"], rows));

function* cases(): Generator<Case> {
  for (const type of IMAGE_TYPES) {
    const file = picture(type, PICTURE_BYTES);
    yield { name: `${type}: a photo`, bytes: file.length, run: () => withoutMetadata(file, type) };
  }
  for (const [name, type, file] of [...manyParts(PICTURE_BYTES), ...manyParts(PICTURE_BYTES, MAX_PARTS - 64)]) {
    yield { name: `${type}: ${name}`, bytes: file.length, run: () => withoutMetadata(file, type) };
  }
  const escaped = picture("image/jpeg", PICTURE_BYTES);
  for (let at = 60; at < escaped.length - 2; at += 2) escaped.set([0xff, 0], at);
  yield { name: "image/jpeg: escaped bytes", bytes: escaped.length, run: () => withoutMetadata(escaped, "image/jpeg") };
  const packed = deflateSync(new Uint8Array(10_000 * 30_001), { level: 9 });
  const flat = bytesOf(pngHeader(10_000, 10_000, 8, 2), pngChunk("IDAT", packed), pngChunk("IEND", ""));
  yield {
    name: "image/png: 100 megapixels of one color",
    bytes: flat.length,
    run: () => withoutMetadata(flat, "image/png"),
  };

  const base64 = (bytes: Uint8Array) => btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(""));
  const receipt = (content: Uint8Array) =>
    base64(encode(
      Tag.sequence,
      encodeOid("1.2.840.113549.1.7.2"),
      encode(
        Tag.context(0),
        encode(
          Tag.sequence,
          encode(Tag.integer, Uint8Array.of(1)),
          encode(Tag.set),
          encode(
            Tag.sequence,
            encodeOid("1.2.840.113549.1.7.1"),
            encode(Tag.context(0), encode(Tag.octetString, content)),
          ),
        ),
      ),
    ));
  const attribute = (type: number, value: Uint8Array) =>
    encode(
      Tag.sequence,
      encode(Tag.integer, Uint8Array.of(type >> 8, type & 255)),
      encode(Tag.integer, Uint8Array.of(1)),
      encode(Tag.octetString, value),
    );
  /** As many of the same part as a receipt has room for. */
  const repeated = (part: Uint8Array, most = Infinity) =>
    bytesOf(
      ...Array<Uint8Array>(Math.min(most, Math.floor((MAX_RECEIPT_LENGTH * 3 / 4 - 200) / part.length))).fill(part),
    );
  const purchase = attribute(17, encode(Tag.set, attribute(1703, encode(Tag.utf8String, Uint8Array.of(49)))));
  for (
    const [name, text] of [
      ["empty elements", receipt(encode(Tag.set, repeated(Uint8Array.of(5, 0))))],
      ["purchases", receipt(encode(Tag.set, repeated(purchase, 10_000)))],
      ["a list of names", base64(repeated(new TextEncoder().encode('"purchase-info"         =         ')))],
    ] as const
  ) yield { name: `receipt: ${name}`, bytes: text.length, run: () => caught(() => purchasesIn(text), ReceiptError) };
  const names = encode(Tag.sequence, repeated(Uint8Array.of(5, 0)));
  yield {
    name: "certificate: empty elements",
    bytes: names.length,
    run: () => caught(() => readCertificate(names), DerError),
  };

  const schema = z.strictObject({ name: z.string(), tags: z.array(z.string()).max(20).optional() });
  for (
    const [name, text] of [
      ["as many unknown fields as it may have", `{${Array.from({ length: 50_000 }, (_, n) => `"${n}":0`).join(",")}}`],
      [
        "as many wrong values as it may have",
        `{"name":"a","tags":[${Array.from({ length: 50_000 }, () => 0).join(",")}]}`,
      ],
      ["as many empty lists as it may have", `[${Array.from({ length: 26_000 }, () => "[]").join(",")}]`],
      ["unknown fields", `{${Array.from({ length: 90_000 }, (_, n) => `"${n}":0`).join(",")}}`],
      [
        "a list of wrong values",
        `{"name":"a","tags":[${Array.from({ length: BODY_BYTES / 2 - 50 }, () => 0).join(",")}]}`,
      ],
      ["nested lists", "[".repeat(BODY_BYTES / 2) + "]".repeat(BODY_BYTES / 2)],
      ["empty lists", `[${Array.from({ length: BODY_BYTES / 3 - 1 }, () => "[]").join(",")}]`],
    ] as const
  ) {
    yield {
      name: `JSON: ${name}`,
      bytes: text.length,
      run: async () => readBody(schema, await readJson(posted(text))),
    };
  }

  const options = { now: new Date("2026-12-01T03:00:00Z"), timeZone: "Asia/Tokyo" };
  for (const part of ["1", "時", "1時", "明日", "a ", "no ", "浅草", "から", "2m", "、"]) {
    const text = part.repeat(500 / part.length);
    yield { name: `sentence: ${part}`, bytes: text.length, run: () => parseText(text, { ...options, locale: "ja" }) };
  }
  for (const part of ["1", "円", "1円", "平日", "8:00-22:00 ", "最大", "(", "、"]) {
    const text = part.repeat(Math.floor(2000 / part.length));
    yield { name: `tariff text: ${part}`, bytes: text.length, run: () => readTariff(text) };
  }
}

function posted(body: string): Request {
  return new Request("http://localhost/", { method: "POST", body, headers: { "content-type": "application/json" } });
}

/** What the reader says of a file that it refuses. */
function caught(run: () => unknown, kind: new (...given: never[]) => Error): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof kind) return error.message;
    throw error;
  }
}

async function measure(
  run: () => unknown,
): Promise<{ median: number; slowest: number; megabytes: number; outcome: string }> {
  const times: number[] = [];
  let [megabytes, outcome] = [0, ""];
  for (let round = 0; round < ROUNDS; round++) {
    const before = Deno.memoryUsage();
    const started = performance.now();
    let answer: unknown;
    try {
      answer = await run();
    } catch (error) {
      answer = error instanceof Error ? error.message : error;
    }
    times.push(performance.now() - started);
    const after = Deno.memoryUsage();
    megabytes = Math.max(megabytes, (after.heapUsed + after.external - before.heapUsed - before.external) / 1e6);
    outcome = typeof answer === "string" ? answer.slice(0, 40) : "read";
  }
  times.sort((a, b) => a - b);
  return { median: times[ROUNDS >> 1]!, slowest: times[ROUNDS - 1]!, megabytes, outcome };
}
