// The messages of Postgres's protocol (version 3) that the Data API sends and reads.
// https://www.postgresql.org/docs/17/protocol-message-formats.html

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const PROTOCOL_VERSION = 196608;

/** A value of a statement, in Postgres's text format; null is SQL's null. */
export type Value = string | Uint8Array | null;

export function startup(user: string, database: string): Uint8Array {
  const settings = ["user", user, "database", database, "application_name", "Data API", "client_encoding", "UTF8", ""];
  return message("", int32(PROTOCOL_VERSION), ...settings.map(cString));
}

export function saslInitialResponse(mechanism: string, text: string): Uint8Array {
  const bytes = encoder.encode(text);
  return message("p", cString(mechanism), int32(bytes.length), bytes);
}

export function saslResponse(text: string): Uint8Array {
  return message("p", encoder.encode(text));
}

export function parse(name: string, statement: string): Uint8Array {
  return message("P", cString(name), cString(statement), int16(0));
}

export function bind(name: string, values: readonly Value[]): Uint8Array {
  const parts = values.flatMap((value) => {
    if (value === null) return [int32(-1)];
    const bytes = typeof value === "string" ? encoder.encode(value) : value;
    return [int32(bytes.length), bytes];
  });
  return message("B", cString(""), cString(name), int16(0), int16(values.length), ...parts, int16(0));
}

export function execute(): Uint8Array {
  return message("E", cString(""), int32(0));
}

export function sync(): Uint8Array {
  return message("S");
}

export function terminate(): Uint8Array {
  return message("X");
}

/** The type, if there is one, the length, and the content. */
function message(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  return concat([encoder.encode(type), int32(length), ...parts]);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function int16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value);
}

function int32(value: number): Uint8Array {
  return Uint8Array.of(value >> 24, value >> 16, value >> 8, value);
}

function cString(text: string): Uint8Array {
  return encoder.encode(`${text}\0`);
}

/** One message of the server. */
export interface Message {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Assembles messages from the bytes that arrive. */
export class MessageReader {
  #rest = new Uint8Array(0);

  *read(chunk: Uint8Array): Generator<Message> {
    const bytes = this.#rest.length > 0 ? concat([this.#rest, chunk]) : chunk;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at + 5 <= bytes.length) {
      const end = at + 1 + view.getInt32(at + 1);
      if (end > bytes.length) break;
      yield { type: String.fromCharCode(bytes[at]!), body: bytes.subarray(at + 5, end) };
      at = end;
    }
    this.#rest = bytes.slice(at);
  }
}

/** The columns of a DataRow, as the server wrote them. */
export function rowOf(body: Uint8Array): (Uint8Array | null)[] {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const row: (Uint8Array | null)[] = [];
  let at = 2;
  for (let left = view.getInt16(0); left > 0; left--) {
    const length = view.getInt32(at);
    at += 4;
    row.push(length < 0 ? null : body.slice(at, at + length));
    at += Math.max(0, length);
  }
  return row;
}

/** The fields of an ErrorResponse, by their letters. */
export function fieldsOf(body: Uint8Array): Record<string, string> {
  const fields = textOf(body).split("\0").filter((field) => field !== "");
  return Object.fromEntries(fields.map((field) => [field.slice(0, 1), field.slice(1)]));
}

export function int32Of(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset, body.byteLength).getInt32(0);
}

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
