// One connection to Postgres. A request is one batch of statements, sent together and ended by one Sync: Postgres runs it
// as one transaction in one round trip, and rolls it back when a statement fails.
import * as messages from "./messages.ts";
import { fieldsOf, type Message, MessageReader, textOf, type Value } from "./messages.ts";
import { MECHANISM, Scram } from "./scram.ts";

export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** A row as Postgres wrote it: each column in its text format. */
export type Row = readonly (Uint8Array | null)[];

/** An error that Postgres reported. The connection can be used again. */
export class StatementError extends Error {
  readonly code: string;
  readonly detail: string | undefined;
  readonly hint: string | undefined;

  constructor(fields: Readonly<Record<string, string>>) {
    super(fields["M"] ?? "");
    this.code = fields["C"] ?? "XX000";
    this.detail = fields["D"];
    this.hint = fields["H"];
  }
}

/** The connection was lost, or could not be opened. Whether a batch that ran was committed is unknown. */
export class ConnectionLost extends Error {}

interface Batch {
  readonly results: Row[][];
  readonly parsing: string[];
  rows: Row[];
  failure: StatementError | undefined;
  readonly settled: PromiseWithResolvers<Row[][]>;
}

const READ_SIZE = 64 * 1024;

export class Connection {
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  /** The names of the prepared statements, by text. */
  readonly #prepared = new Map<string, string>();
  #names = 0;
  #isClosed = false;
  #batch: Batch | undefined;
  #fatal: StatementError | undefined;

  private constructor(
    readonly socket: Deno.TcpConn,
    readonly reader: MessageReader,
    readonly onNotification: (payload: string) => void,
  ) {
    this.closed = this.#read();
  }

  /** Connects as the user of the address. */
  static async open(
    address: string,
    timeoutMs: number,
    onNotification: (payload: string) => void = () => {},
  ): Promise<Connection> {
    const url = new URL(address);
    const signal = AbortSignal.timeout(timeoutMs);
    let socket: Deno.TcpConn;
    try {
      socket = await Deno.connect({ hostname: url.hostname, port: Number(url.port), signal });
    } catch (cause) {
      throw new ConnectionLost("Postgres does not accept connections", { cause });
    }
    const onTimeout = () => close(socket);
    signal.addEventListener("abort", onTimeout);
    try {
      socket.setNoDelay(true);
      const reader = new MessageReader();
      await authenticate(socket, reader, url);
      return new Connection(socket, reader, onNotification);
    } catch (cause) {
      close(socket);
      throw new ConnectionLost("Postgres did not accept the connection", { cause });
    } finally {
      signal.removeEventListener("abort", onTimeout);
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs the statements as one transaction, and returns the rows of each. One batch at a time. */
  run(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#batch !== undefined) throw new Error("A batch runs already");
    if (this.#isClosed) return Promise.reject(new ConnectionLost("The connection to Postgres was lost"));
    const batch: Batch = {
      results: [],
      parsing: [],
      rows: [],
      failure: undefined,
      settled: Promise.withResolvers<Row[][]>(),
    };
    this.#batch = batch;
    const sent: Uint8Array[] = [];
    for (const { text, values } of statements) {
      let name = this.#prepared.get(text);
      if (name === undefined) {
        name = `s${this.#names++}`;
        sent.push(messages.parse(name, text));
        this.#prepared.set(text, name);
        batch.parsing.push(text);
      }
      sent.push(messages.bind(name, values), messages.execute());
    }
    sent.push(messages.sync());
    // A connection that is lost is noticed by its reader.
    write(this.socket, messages.concat(sent)).catch(() => close(this.socket));
    return batch.settled.promise;
  }

  /** Ends the connection; a batch that runs fails. */
  close(): void {
    write(this.socket, messages.terminate()).catch(() => {}).finally(() => close(this.socket));
  }

  async #read(): Promise<void> {
    const chunk = new Uint8Array(READ_SIZE);
    let cause: unknown;
    try {
      for (let size = await this.socket.read(chunk); size !== null; size = await this.socket.read(chunk)) {
        for (const message of this.reader.read(chunk.subarray(0, size))) this.#handle(message);
      }
    } catch (error) {
      cause = error;
    }
    this.#isClosed = true;
    close(this.socket);
    this.#batch?.settled.reject(
      new ConnectionLost("The connection to Postgres was lost", { cause: this.#fatal ?? cause }),
    );
    this.#batch = undefined;
  }

  #handle({ type, body }: Message): void {
    const batch = this.#batch;
    switch (type) {
      case "1": // ParseComplete
        batch?.parsing.shift();
        break;
      case "D": // DataRow
        batch?.rows.push(messages.rowOf(body));
        break;
      case "C": // CommandComplete
        batch?.results.push(batch.rows);
        if (batch !== undefined) batch.rows = [];
        break;
      case "E": // ErrorResponse
        this.#failed(new StatementError(fieldsOf(body)), fieldsOf(body)["V"] ?? "");
        break;
      case "Z": // ReadyForQuery
        this.#finish(batch);
        break;
      case "A": // NotificationResponse: process, channel, payload
        this.onNotification(textOf(body.subarray(4)).split("\0")[1] ?? "");
    }
  }

  #failed(error: StatementError, severity: string): void {
    if (severity === "FATAL" || severity === "PANIC") this.#fatal = error; // the server closes the connection next
    else if (this.#batch !== undefined) this.#batch.failure ??= error;
  }

  #finish(batch: Batch | undefined): void {
    if (batch === undefined) return;
    this.#batch = undefined;
    // Statements after the one that failed were not prepared.
    for (const text of batch.parsing) this.#prepared.delete(text);
    if (batch.failure === undefined) batch.settled.resolve(batch.results);
    else batch.settled.reject(batch.failure);
  }
}

async function authenticate(socket: Deno.TcpConn, reader: MessageReader, url: URL): Promise<void> {
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const scram = new Scram(password);
  await write(socket, messages.startup(user, url.pathname.slice(1)));
  const chunk = new Uint8Array(READ_SIZE);
  for (let size = await socket.read(chunk); size !== null; size = await socket.read(chunk)) {
    for (const { type, body } of reader.read(chunk.slice(0, size))) {
      if (type === "Z") return;
      if (type === "E") throw new StatementError(fieldsOf(body));
      if (type !== "R") continue;
      const reply = authenticationReply(scram, messages.int32Of(body), body.subarray(4));
      if (reply !== undefined) await write(socket, reply);
    }
  }
  throw new Error("Postgres closed the connection.");
}

/** The client's reply to an authentication message: AuthenticationSASL, SASLContinue, SASLFinal or Ok. */
function authenticationReply(scram: Scram, kind: number, body: Uint8Array): Uint8Array | undefined {
  switch (kind) {
    case 10:
      return messages.saslInitialResponse(MECHANISM, scram.begin());
    case 11:
      return messages.saslResponse(scram.prove(textOf(body)));
    case 12:
      scram.verify(textOf(body));
      return undefined;
    case 0:
      return undefined;
    default:
      throw new Error(`Postgres requires an authentication (${kind}) that is not implemented.`);
  }
}

async function write(socket: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
}

function close(socket: Deno.TcpConn): void {
  try {
    socket.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error; // closed already
  }
}
