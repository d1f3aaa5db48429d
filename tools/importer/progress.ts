/** Says how far a long import is: one line that rewrites itself on a terminal, else a line every few seconds. */
export class Progress {
  readonly #terminal = Deno.stderr.isTerminal();
  readonly #everyMs = this.#terminal ? 200 : 5000;
  readonly #started = performance.now();
  #last = performance.now();
  #wrote = false;

  constructor(readonly quiet: boolean) {}

  /** While the file is examined. */
  rows(read: number): void {
    if (this.#isDue()) this.#write(`${read} rows read`);
  }

  /** After each batch. */
  lots(read: number, rows: number, written: number): void {
    if (!this.#isDue()) return;
    const perSecond = Math.round(read / (performance.now() - this.#started) * 1000);
    this.#write(`${read} of ${rows} rows, ${written} lots written (${perSecond} rows a second)`);
  }

  #isDue(): boolean {
    const now = performance.now();
    if (this.quiet || now - this.#last < this.#everyMs) return false;
    this.#last = now;
    return true;
  }

  step(what: string): void {
    if (!this.quiet && (this.#terminal || performance.now() - this.#started > this.#everyMs)) this.#write(what);
  }

  #write(text: string): void {
    this.#wrote = true;
    Deno.stderr.writeSync(new TextEncoder().encode(this.#terminal ? `\r\x1b[K${text}` : `${text}\n`));
  }

  end(): void {
    if (this.#wrote && this.#terminal) Deno.stderr.writeSync(new TextEncoder().encode("\r\x1b[K"));
  }
}
