// The messages of Postgres's protocol (version 3) that the Data API sends and reads.
// https://www.postgresql.org/docs/17/protocol-message-formats.html

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A value of a statement, in Postgres's text format; null is SQL's null. */
export type Value = string | Uint8Array | null;

/** Writes messages one after another into one buffer, which is sent at once. */
export class MessageWriter {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #start = 0;

  /** The messages so far; the writer is empty afterwards. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  startup(user: string, database: string): this {
    return this.#begin(undefined).#int32(196608).#text("user").#text(user).#text("database").#text(database)
      .#text("application_name").#text("Data API").#text("client_encoding").#text("UTF8").#byte(0).#end();
  }

  saslBegin(mechanism: string, message: string): this {
    const bytes = encoder.encode(message);
    return this.#begin("p").#text(mechanism).#int32(bytes.length).#raw(bytes).#end();
  }

  saslContinue(message: string): this {
    return this.#begin("p").#raw(encoder.encode(message)).#end();
  }

  parse(name: string, statement: string): this {
    return this.#begin("P").#text(name).#text(statement).#int16(0).#end();
  }

  bind(name: string, values: readonly Value[]): this {
    this.#begin("B").#byte(0).#text(name).#int16(0).#int16(values.length);
    for (const value of values) {
      if (value === null) {
        this.#int32(-1);
        continue;
      }
      const bytes = typeof value === "string" ? encoder.encode(value) : value;
      this.#int32(bytes.length).#raw(bytes);
    }
    return this.#int16(0).#end();
  }

  execute(): this {
    return this.#begin("E").#byte(0).#int32(0).#end();
  }

  sync(): this {
    return this.#begin("S").#end();
  }

  terminate(): this {
    return this.#begin("X").#end();
  }

  #begin(type: string | undefined): this {
    if (type !== undefined) this.#byte(type.charCodeAt(0));
    this.#start = this.#length;
    return this.#int32(0);
  }

  #end(): this {
    this.#view.setInt32(this.#start, this.#length - this.#start);
    return this;
  }

  #byte(value: number): this {
    this.#room(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  #int16(value: number): this {
    this.#room(2);
    this.#view.setInt16(this.#length, value);
    this.#length += 2;
    return this;
  }

  #int32(value: number): this {
    this.#room(4);
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
    return this;
  }

  #text(value: string): this {
    return this.#raw(encoder.encode(value)).#byte(0);
  }

  #raw(bytes: Uint8Array): this {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  #room(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + size));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** One message of the server: its type and its content. */
export interface Message {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Puts messages together from the bytes that arrive. */
export class MessageReader {
  #rest = new Uint8Array(0);

  *read(chunk: Uint8Array): Generator<Message> {
    let bytes = chunk;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + chunk.length);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.length);
    }
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
  const fields: Record<string, string> = {};
  for (const field of textOf(body).split("\0")) {
    if (field !== "") fields[field.slice(0, 1)] = field.slice(1);
  }
  return fields;
}

export function int32Of(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset, body.byteLength).getInt32(0);
}

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
