import { isObject, otherSystem } from "../../geometry.ts";
import { ImportFailure } from "../failure.ts";
import { type Envelope, jsonElements } from "./json_elements.ts";
import type { Read } from "./record.ts";

const RECORD_SEPARATOR = "\x1e";

function recordOf(position: number, value: unknown): Read {
  if (!isObject(value)) return { position, unreadable: "not a JSON object" };
  if (value["type"] !== "Feature") return { position, values: value };
  const { properties, geometry } = value;
  if (!isObject(properties ?? {})) return { position, unreadable: "the feature's properties are not an object" };
  const system = otherSystem(value) ?? otherSystem(geometry);
  if (system !== undefined) return { position, unreadable: `crs: ${system}, not degrees of WGS 84` };
  return { position, values: Object(properties), id: value["id"], geometry };
}

/** Names of the list in documents that are not a FeatureCollection. */
export const LISTS = ["@graph", "carparks", "elements", "items", "lots", "_embedded"];

/** A FeatureCollection, a list of features or of flat objects, or an object with such a list under one of the names. */
export async function* geojsonRecords(text: AsyncIterable<string>): AsyncGenerator<Read> {
  const envelope: Envelope = {};
  let position = 0;
  for await (const element of jsonElements(text, ["features", ...LISTS], envelope)) yield recordOf(++position, element);
  const { document } = envelope;
  const system = otherSystem(document);
  if (system !== undefined) {
    throw new ImportFailure(`The file's coordinates are ${system}, not degrees of WGS 84. Convert it first.`);
  }
  if (isObject(document) && document["type"] !== "FeatureCollection" && !LISTS.some((name) => name in document)) {
    throw new ImportFailure(`The file's type is ${JSON.stringify(document["type"])}, not "FeatureCollection".`);
  }
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest;
}

/** One JSON object a line, a feature or flat; a record separator before it (RFC 8142) is allowed. A bad line is only itself. */
export async function* ndjsonRecords(text: AsyncIterable<string>): AsyncGenerator<Read> {
  let position = 0;
  for await (const raw of linesOf(text)) {
    position++;
    const line = (raw.startsWith(RECORD_SEPARATOR) ? raw.slice(1) : raw).trim();
    if (line === "") continue;
    try {
      yield recordOf(position, JSON.parse(line));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      yield { position, unreadable: `not JSON: ${error.message}` };
    }
  }
}
