import { ImportFailure } from "../failure.ts";
import { headerName } from "../text.ts";
import type { Read } from "./record.ts";

export interface Row {
  readonly line: number;
  readonly fields: string[];
  readonly problem?: string;
}

type State = "start" | "plain" | "quoted" | "closed";

/** RFC 4180, read leniently where that loses nothing: any line end, a quote inside an unquoted field is itself. */
export async function* csvRows(text: AsyncIterable<string>, separator: string): AsyncGenerator<Row> {
  let line = 1;
  let startLine = 1;
  let fields: string[] = [];
  let field = "";
  let state = "start" as State;
  let problem: string | undefined;
  let afterReturn = false;
  const finished: Row[] = [];

  const endField = () => {
    fields.push(field);
    field = "";
    state = "start";
  };
  const endRow = () => {
    endField();
    finished.push({ line: startLine, fields, ...(problem === undefined ? {} : { problem }) });
    fields = [];
    problem = undefined;
    startLine = line;
  };

  for await (const chunk of text) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk[at];
      const isBreak = character === "\n" || character === "\r";
      const secondOfPair = afterReturn && character === "\n";
      if (isBreak && !secondOfPair) line++;
      afterReturn = character === "\r";
      if (state === "quoted") {
        if (character !== '"') continue;
        field += chunk.slice(from, at);
        state = "closed";
        continue;
      }
      if (secondOfPair && state === "start" && fields.length === 0) {
        startLine = line;
        from = at + 1;
        continue;
      }
      if (state === "closed" && character === '"') {
        field += '"';
        state = "quoted";
        from = at + 1;
        continue;
      }
      if (character === separator || isBreak) {
        if (state === "plain") field += chunk.slice(from, at);
        if (isBreak) endRow();
        else endField();
        from = at + 1;
      } else if (state === "start") {
        state = character === '"' ? "quoted" : "plain";
        from = character === '"' ? at + 1 : at;
      } else if (state === "closed") {
        problem ??= `text after the closing quote of field ${fields.length + 1}`;
      }
    }
    if (state === "plain" || state === "quoted") field += chunk.slice(from);
    yield* finished.splice(0);
  }
  if (state === "quoted") throw new ImportFailure(`The quote opened in the row of line ${startLine} is never closed.`);
  if (state !== "start" || fields.length > 0) endRow();
  yield* finished;
}

function separatorOf(firstText: string): string {
  const header = firstText.replace(/"[^"]*"/g, "").split(/[\r\n]/, 1)[0] ?? "";
  const count = (separator: string) => header.split(separator).length;
  return [",", "\t", ";"].reduce((best, candidate) => count(candidate) > count(best) ? candidate : best);
}

/** The records of a table with a header, from CSV or xlsx. Empty rows are not records. */
export async function* tableRecords(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<Read> {
  let header: string[] | undefined;
  for await (const { line, fields, problem } of rows) {
    if (fields.every((field) => field.trim() === "")) continue;
    if (header === undefined) {
      if (problem !== undefined) throw new ImportFailure(`The header (line ${line}) has ${problem}.`);
      header = fields.map(headerName);
      while (header.at(-1) === "") header.pop();
      const names = new Set<string>();
      const twice = header.find((name) => name !== "" && names.size === names.add(name).size);
      if (twice !== undefined) throw new ImportFailure(`The header names the column ${JSON.stringify(twice)} twice.`);
      continue;
    }
    const surplus = fields.slice(header.length);
    if (problem !== undefined) {
      yield { position: line, unreadable: problem };
    } else if (fields.length < header.length || surplus.some((field) => field !== "")) {
      yield { position: line, unreadable: `${fields.length} fields under a header of ${header.length}` };
    } else {
      const values: Record<string, unknown> = {};
      for (const [index, name] of header.entries()) {
        if (name !== "") values[name] = fields[index];
      }
      yield { position: line, values };
    }
  }
  if (header === undefined) throw new ImportFailure("The file is empty: not even a header.");
}

export async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<Read> {
  const iterator = text[Symbol.asyncIterator]();
  let start = "";
  while (!/[\r\n]/.test(start)) {
    const next = await iterator.next();
    if (next.done) break;
    start += next.value;
  }
  async function* whole() {
    yield start;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  yield* tableRecords(csvRows(whole(), separatorOf(start)));
}
