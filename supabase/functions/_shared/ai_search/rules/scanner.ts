/**
 * A text whose parts are consumed by recognisers. A consumed part is blank for all later recognisers, so that no word
 * counts twice. The rest is the place.
 * Every pattern in this folder has bounded quantifiers only ({0,3}, never * or +), so a scan takes linear time.
 */

/** Replaces a consumed character. It never occurs in the text itself (text.ts). */
export const TAKEN = "\uE000";
/** Replaces a character of a filler word. */
export const FILLER = "\uE001";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export class Scanner {
  readonly text: string;
  #rest: string;

  constructor(text: string) {
    this.text = text;
    this.#rest = text;
  }

  /** The text with TAKEN and FILLER for consumed characters. */
  get rest(): string {
    return this.#rest;
  }

  slice(span: Span): string {
    return this.text.slice(span.start, span.end);
  }

  /** The last characters before a position that are not consumed. */
  before(start: number, length = 24): string {
    return this.#rest.slice(Math.max(0, start - length), start);
  }

  after(end: number, length = 24): string {
    return this.#rest.slice(end, end + length);
  }

  /**
   * Consumes each match for which `read` returns a value. `read` can extend the span to neighbouring words. If it
   * returns undefined, the match is not consumed.
   */
  take<T extends object>(
    pattern: RegExp,
    read: (match: RegExpExecArray, span: Span) => (T & Partial<Span>) | undefined,
    mark: string = TAKEN,
  ): (T & Span)[] {
    const found: (T & Span)[] = [];
    let from = 0;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(this.#rest); match !== null; match = pattern.exec(this.#rest)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (span.end === span.start) {
        pattern.lastIndex++;
        continue;
      }
      const read_ = read(match, span);
      if (read_ === undefined) continue;
      const start = Math.max(from, read_.start ?? span.start);
      const end = Math.max(span.end, read_.end ?? span.end);
      found.push({ ...read_, start, end });
      from = end;
      pattern.lastIndex = end;
    }
    this.blank(found, mark);
    return found;
  }

  /** Blanks spans that are sorted and do not overlap. */
  blank(spans: readonly Span[], mark: string = TAKEN): void {
    if (spans.length === 0) return;
    const pieces: string[] = [];
    let from = 0;
    for (const { start, end } of spans) {
      pieces.push(this.#rest.slice(from, start), mark.repeat(Math.max(0, end - start)));
      from = Math.max(from, end);
    }
    pieces.push(this.#rest.slice(from));
    this.#rest = pieces.join("");
  }
}
