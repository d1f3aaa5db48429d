import { narrow } from "./lookup.ts";

export type Reading<T> = { readonly value: T } | { readonly problem: string };

function quoted(raw: unknown): string {
  const text = typeof raw === "string" ? raw : JSON.stringify(raw);
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Parses a number in any width, with thousands separators, but without other text. */
export function numberOf(raw: unknown): Reading<number> {
  if (typeof raw === "number" && Number.isFinite(raw)) return { value: raw };
  const text = typeof raw === "string" ? narrow(raw) : "";
  const plain = /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,2})?$/i.test(plain)
    ? { value: Number(plain) }
    : { problem: `is not a number: ${quoted(raw)}` };
}

export function integerOf(raw: unknown): Reading<number> {
  const reading = numberOf(raw);
  if ("problem" in reading || Number.isInteger(reading.value)) return reading;
  return { problem: `is not a whole number: ${quoted(raw)}` };
}

const DEGREES =
  /^([NSEW北南東西緯経]*)\s*(\d{1,3})\s*[°度]\s*(\d{1,2})\s*['′分]\s*(?:(\d{1,2}(?:\.\d+)?)\s*(?:["″秒]|''|′′)?)?\s*([NSEW]?)$/iu;

/** Parses decimal degrees, or degrees, minutes and seconds: 35°40′52.5″N, 北緯35度40分52秒. */
export function degreesOf(raw: unknown): Reading<number> {
  const plain = numberOf(raw);
  if ("value" in plain || typeof raw !== "string") return plain;
  const match = DEGREES.exec(narrow(raw));
  if (match === null) return plain;
  const [, before = "", degrees, minutes, seconds = "0", after = ""] = match;
  if (Number(minutes) >= 60 || Number(seconds) >= 60) return plain;
  const size = Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600;
  return { value: /[SW南西]/iu.test(before + after) ? -size : size };
}
