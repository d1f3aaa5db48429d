// XMLHttpRequest as browsers have it, over fetch. It reports the progress that a test scripts.

/** The bytes that each attempt reports as sent, and whether it then breaks off. */
export interface Attempt {
  readonly progress: readonly number[];
  readonly isLost?: boolean;
}

/** Puts the class in place until the end of the test. */
export function withXhr(...attempts: Attempt[]): Disposable & { aborted: number } {
  const record = {
    aborted: 0,
    [Symbol.dispose]: () => void Reflect.deleteProperty(globalThis, "XMLHttpRequest"),
  };
  class FakeXhr {
    readonly upload: { onprogress?: (event: { loaded: number }) => void } = {};
    readonly #abort = new AbortController();
    readonly #headers = new Headers();
    #url = "";
    #response: Response | undefined;
    onloadend?: () => void;

    get status(): number {
      return this.#response?.status ?? 0;
    }

    open(_method: "PUT", url: string): void {
      this.#url = url;
    }

    setRequestHeader(name: string, value: string): void {
      this.#headers.set(name, value);
    }

    getResponseHeader(name: string): string | null {
      return this.#response?.headers.get(name) ?? null;
    }

    abort(): void {
      record.aborted++;
      this.#abort.abort();
    }

    async send(body: BodyInit): Promise<void> {
      const { progress, isLost } = attempts.length > 1 ? attempts.shift()! : attempts[0]!;
      for (const loaded of progress) this.upload.onprogress?.({ loaded });
      try {
        const init = { method: "PUT", body, headers: this.#headers, signal: this.#abort.signal };
        const response = await fetch(this.#url, init);
        await response.body?.cancel();
        if (!isLost) this.#response = response;
      } catch (error) {
        if (!this.#abort.signal.aborted) throw error;
      }
      this.onloadend?.();
    }
  }
  Reflect.set(globalThis, "XMLHttpRequest", FakeXhr);
  return record;
}
