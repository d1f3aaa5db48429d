/** HEIC: boxes, each with its length and type. Items are made of pixels, or of other items; properties describe them. */
import { ascii, type Bytes, checkArea, expect, Reader, Refused } from "./parts.ts";

/** An item with coded pixels. Those of other formats in the same boxes, AVIF for example, have other types. */
const CODED = "hvc1";
/** Items that are made of others. An EXIF, XMP or unknown item is none. */
const DERIVED = ["grid", "iden", "iovl", "tmap"];
const isPicture = (type: string | undefined) => type !== undefined && (type === CODED || DERIVED.includes(type));

/** Properties that a decoder needs. */
const PROPERTIES = new Set(
  ("hvcC lhvC ispe pixi colr pasp clap irot imir auxC clli mdcv cclv rloc lsel").split(" "),
);
const HANDLER_BYTES = 24;

interface Box {
  readonly type: string;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

function* boxes(reader: Reader, from: number, to: number): Generator<Box> {
  for (let start = from; start < to;) {
    reader.countPart();
    const short = reader.number(start, 4);
    const type = reader.text(start + 4, 4);
    const body = start + (short === 1 ? 16 : 8);
    const end = short === 0 ? to : start + (short === 1 ? reader.number(start + 8, 8) : short);
    expect(end >= body && end <= to);
    yield { type, start, body, end };
    start = end;
  }
}

type Keep = (from: number, to: number) => void;

/**
 * The file refers to its pixels by their offsets. So the copy has the length of the original up to the last box that is
 * needed, everything in it is zero at first, and the parts that are needed are copied to their places. Other boxes
 * become `free`.
 */
export function rebuildHeic(bytes: Bytes): Bytes {
  const reader = new Reader(bytes);
  const out = new Uint8Array(bytes.length);
  const keep = (from: number, to: number) => out.set(reader.slice(from, to), from);
  const clear = ({ start, body }: Box) => {
    keep(start, body);
    out.set(ascii("free"), start + 4);
  };
  const top = topBoxes(reader);
  const meta = top.filter(({ type }) => type === "meta");
  const data = top.filter(({ type }) => type === "mdat");
  expect(top[0]?.type === "ftyp" && meta.length === 1);
  let end = 0;
  for (const box of top) {
    if (box.type === "ftyp") keep(box.start, box.end);
    else if (box.type === "mdat") keep(box.start, box.body);
    else if (box.type !== "meta") clear(box);
    if (["ftyp", "mdat", "meta"].includes(box.type)) end = box.end;
  }
  const [{ start, body, end: metaEnd }] = meta as [Box];
  keep(start, body + 4);
  const parts = new Map<string, Box>();
  for (const box of boxes(reader, body + 4, metaEnd)) {
    if (box.type !== "free") expect(!parts.has(box.type));
    parts.set(box.type, box);
    if (box.type === "pitm" || box.type === "iloc" || box.type === "iref") keep(box.start, box.end);
    else if (box.type === "hdlr") keep(box.start, Math.min(box.end, box.body + HANDLER_BYTES));
    else if (box.type === "idat" || box.type === "iinf") keep(box.start, box.body);
    else if (box.type === "iprp") keepProperties(reader, box, keep, clear);
    else clear(box);
  }
  const part = (type: string): Box => {
    const found = parts.get(type);
    expect(found !== undefined);
    return found;
  };
  expect(reader.text(part("hdlr").body + 8, 4) === "pict");
  const types = keepItems(reader, part("iinf"), keep);
  const primary = part("pitm");
  const primaryId = reader.number(primary.body + 4, reader.number(primary.body, 1) === 0 ? 2 : 4);
  const idat = parts.get("idat");
  let copied = 0;
  const located = new Map<number, number>();
  for (const { id, method, from, length } of extents(reader, part("iloc"))) {
    if (!isPicture(types.get(id))) continue;
    const within = method === 0 ? data : method === 1 && idat !== undefined ? [idat] : [];
    const at = method === 1 && idat !== undefined ? idat.body + from : from;
    expect(length > 0 && within.some((box) => at >= box.body && at + length <= box.end));
    copied += length;
    expect(copied <= bytes.length); // no byte is needed twice
    keep(at, at + length);
    if (!located.has(id)) located.set(id, at);
  }
  const properties = propertiesOf(reader, part("iprp"));
  const sources = sourcesOf(reader, parts.get("iref"));
  checkItem(reader, primaryId, { types, located, properties, sources });
  return out.subarray(0, end);
}

interface Items {
  readonly types: ReadonlyMap<number, string>;
  /** Where their first bytes are. */
  readonly located: ReadonlyMap<number, number>;
  readonly properties: ReadonlyMap<number, readonly Box[]>;
  /** What a derived item is made of. */
  readonly sources: ReadonlyMap<number, readonly number[]>;
}

/** Checks the item that is shown, and what it is made of, each once: all of it must be there, and be HEVC in the end. */
function checkItem(reader: Reader, first: number, { types, located, properties, sources }: Items): void {
  const [checked, open] = [new Set<number>(), [first]];
  let hasPixels = false;
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (checked.has(id)) continue;
    checked.add(id);
    const [type, at] = [types.get(id), located.get(id)];
    if (type === CODED) {
      const [size, another] = (properties.get(id) ?? []).filter((property) => property.type === "ispe");
      expect(at !== undefined && size !== undefined && another === undefined);
      reader.countPixels(reader.number(size.body + 4, 4), reader.number(size.body + 8, 4));
      hasPixels = true;
      continue;
    }
    if (type === "grid" || type === "iovl") {
      expect(at !== undefined);
      checkDerived(reader, type, at);
    }
    const made = sources.get(id) ?? [];
    expect(isPicture(type) && made.length > 0);
    open.push(...made);
  }
  expect(hasPixels);
}

/** The area that a grid or an overlay is drawn on. Bit 0 of its flags says whether numbers have four bytes or two. */
function checkDerived(reader: Reader, type: "grid" | "iovl", at: number): void {
  const bytes = (reader.number(at + 1, 1) & 1) === 1 ? 4 : 2;
  const size = at + (type === "grid" ? 4 : 10);
  checkArea(reader.number(size, bytes), reader.number(size + bytes, bytes));
}

/** The boxes of the file until the first bytes that are no box. */
function topBoxes(reader: Reader): Box[] {
  const found: Box[] = [];
  try {
    for (const box of boxes(reader, 0, reader.length)) found.push(box);
  } catch (error) {
    if (!(error instanceof Refused) || error.problem !== "malformed") throw error;
  }
  return found;
}

function keepProperties(reader: Reader, { start, body, end }: Box, keep: Keep, clear: (box: Box) => void): void {
  keep(start, body);
  for (const box of boxes(reader, body, end)) {
    if (box.type === "ipma") keep(box.start, box.end);
    else if (box.type === "ipco") {
      keep(box.start, box.body);
      // A cleared property keeps its place: items refer to properties by their number.
      for (const property of boxes(reader, box.body, box.end)) {
        if (PROPERTIES.has(property.type)) keep(property.start, property.end);
        else clear(property);
      }
    } else clear(box);
  }
}

/** The properties of each item. */
function propertiesOf(reader: Reader, { body, end }: Box): Map<number, Box[]> {
  const all: Box[] = [];
  const found = new Map<number, Box[]>();
  const tables: Box[] = [];
  for (const box of boxes(reader, body, end)) {
    if (box.type === "ipco") all.push(...boxes(reader, box.body, box.end));
    else if (box.type === "ipma") tables.push(box);
  }
  for (const table of tables) {
    const next = sequence(reader, table);
    const [isLong, flags] = [next(1) > 0, next(3)];
    for (let items = next(4); items > 0; items--) {
      reader.countPart();
      const id = next(isLong ? 4 : 2);
      expect(!found.has(id));
      const own: Box[] = [];
      for (let count = next(1); count > 0; count--) {
        reader.countPart();
        const number = (flags & 1) === 1 ? next(2) & 0x7fff : next(1) & 0x7f;
        if (number === 0) continue;
        const property = all[number - 1];
        expect(property !== undefined);
        own.push(property);
      }
      found.set(id, own);
    }
  }
  return found;
}

/** What each derived item is made of. */
function sourcesOf(reader: Reader, iref: Box | undefined): Map<number, number[]> {
  const found = new Map<number, number[]>();
  if (iref === undefined) return found;
  const idBytes = reader.number(iref.body, 1) === 0 ? 2 : 4;
  for (const reference of boxes(reader, iref.body + 4, iref.end)) {
    if (reference.type !== "dimg") continue;
    const next = sequence(reader, reference);
    const id = next(idBytes);
    expect(!found.has(id));
    const sources: number[] = [];
    for (let count = next(2); count > 0; count--) {
      reader.countPart();
      sources.push(next(idBytes));
    }
    found.set(id, sources);
  }
  return found;
}

/** Keeps numbers and types of items, without their names. Returns the types. */
function keepItems(reader: Reader, { body, end }: Box, keep: Keep): Map<number, string> {
  const first = body + (reader.number(body, 1) === 0 ? 6 : 8);
  keep(body, first);
  const types = new Map<number, string>();
  for (const box of boxes(reader, first, end)) {
    const version = reader.number(box.body, 1);
    expect(box.type === "infe" && (version === 2 || version === 3));
    const idBytes = version === 2 ? 2 : 4;
    const type = box.body + 4 + idBytes + 2;
    expect(type + 4 <= box.end);
    keep(box.start, type + 4);
    types.set(reader.number(box.body + 4, idBytes), reader.text(type, 4));
  }
  return types;
}

interface Extent {
  readonly id: number;
  /** 0: an offset in the file, 1: an offset in `idat`. */
  readonly method: number;
  readonly from: number;
  readonly length: number;
}

function* extents(reader: Reader, iloc: Box): Generator<Extent> {
  const next = sequence(reader, iloc);
  const version = next(1);
  expect(version <= 2);
  next(3);
  const sizes = next(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  expect(lengthBytes > 0); // otherwise an extent is the whole file
  for (let items = next(version < 2 ? 2 : 4); items > 0; items--) {
    reader.countPart();
    const id = next(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : next(2) & 15;
    expect(next(2) === 0); // another file
    const base = next(baseBytes);
    for (let count = next(2); count > 0; count--) {
      reader.countPart();
      next(indexBytes);
      const from = base + next(offsetBytes);
      yield { id, method, from, length: next(lengthBytes) };
    }
  }
}

/** Reads the numbers of a box one after another, given the bytes of each. Reading beyond the box is refused. */
function sequence(reader: Reader, { body, end }: Box): (bytes: number) => number {
  let at = body;
  return (bytes) => {
    expect(at + bytes <= end);
    const value = reader.number(at, bytes);
    at += bytes;
    return value;
  };
}
