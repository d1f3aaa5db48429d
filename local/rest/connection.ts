// One connection to Postgres. A request is one batch of statements, sent together and ended by one Sync: Postgres runs it
// as one transaction, commits it at the end, and rolls all of it back when a statement fails.
import {
  fieldsOf,
  int32Of,
  type Message,
  MessageReader,
  MessageWriter,
  rowOf,
  textOf,
  type Value,
} from "./messages.ts";
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

/** The connection was lost, or could not be made: nobody knows whether a batch that ran was committed. */
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
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>;
  readonly #writer = new MessageWriter();
  /** The names of the statements that this connection has prepared. */
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

  /** Connects as the user that the address names; gives up after `timeoutMs`. */
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
    const abandon = () => close(socket);
    signal.addEventListener("abort", abandon);
    try {
      socket.setNoDelay(true);
      const reader = new MessageReader();
      await authenticate(socket, reader, url);
      return new Connection(socket, reader, onNotification);
    } catch (cause) {
      close(socket);
      throw new ConnectionLost("Postgres did not take the connection", { cause });
    } finally {
      signal.removeEventListener("abort", abandon);
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
    for (const { text, values } of statements) {
      let name = this.#prepared.get(text);
      if (name === undefined) {
        name = `s${this.#names++}`;
        this.#writer.parse(name, text);
        this.#prepared.set(text, name);
        batch.parsing.push(text);
      }
      this.#writer.bind(name, values).execute();
    }
    this.#writer.sync();
    // The reading end notices a connection that is gone.
    write(this.socket, this.#writer.take()).catch(() => close(this.socket));
    return batch.settled.promise;
  }

  /** Ends the connection; a batch that runs fails. */
  close(): void {
    write(this.socket, this.#writer.terminate().take()).catch(() => {}).finally(() => close(this.socket));
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
        batch?.rows.push(rowOf(body));
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
    // What was to be prepared after the failure never was.
    for (const text of batch.parsing) this.#prepared.delete(text);
    if (batch.failure === undefined) batch.settled.resolve(batch.results);
    else batch.settled.reject(batch.failure);
  }
}

async function authenticate(socket: Deno.TcpConn, reader: MessageReader, url: URL): Promise<void> {
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const writer = new MessageWriter();
  const scram = new Scram(password);
  await write(socket, writer.startup(user, url.pathname.slice(1)).take());
  const chunk = new Uint8Array(READ_SIZE);
  for (let size = await socket.read(chunk); size !== null; size = await socket.read(chunk)) {
    for (const { type, body } of reader.read(chunk.slice(0, size))) {
      if (type === "Z") return;
      if (type === "E") throw new StatementError(fieldsOf(body));
      if (type !== "R") continue;
      const reply = answer(scram, int32Of(body), body.subarray(4), writer);
      if (reply !== undefined) await write(socket, reply);
    }
  }
  throw new Error("Postgres closed the connection");
}

/** What the client sends after an authentication message: AuthenticationSASL, SASLContinue, SASLFinal or Ok. */
function answer(scram: Scram, kind: number, body: Uint8Array, writer: MessageWriter): Uint8Array | undefined {
  switch (kind) {
    case 10:
      return writer.saslBegin(MECHANISM, scram.begin()).take();
    case 11:
      return writer.saslContinue(scram.prove(textOf(body))).take();
    case 12:
      scram.verify(textOf(body));
      return undefined;
    case 0:
      return undefined;
    default:
      throw new Error(`Postgres wants an authentication (${kind}) that is not known here`);
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
