/** The parts of the class that this package uses. Only browsers and React Native have it. */
declare const XMLHttpRequest: undefined | {
  new (): {
    readonly upload: { onprogress: (event: { loaded: number }) => void };
    readonly status: number;
    onloadend: () => void;
    open(method: string, url: string): void;
    setRequestHeader(name: string, value: string): void;
    getResponseHeader(name: string): string | null;
    send(body: Blob | Uint8Array<ArrayBuffer>): void;
    abort(): void;
  };
};

/** Whether the progress of an upload can be observed. `fetch` does not report it. */
export const hasProgress = (): boolean => typeof XMLHttpRequest === "function";

/** The bytes that are sent, of all. A retry starts again with 0. */
export type OnProgress = (sent: number, total: number) => void;

/** Sends a file with XMLHttpRequest, which browsers and React Native have. */
export function putWithProgress(
  { url, file, type, signal }: {
    readonly url: string;
    readonly file: Blob | Uint8Array<ArrayBuffer>;
    readonly type: string;
    readonly signal: AbortSignal | undefined;
  },
  onSent: (sent: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest!();
    const abort = () => request.abort();
    request.open("PUT", url);
    request.setRequestHeader("Content-Type", type);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onloadend = () => {
      signal?.removeEventListener("abort", abort);
      const retryAfter = request.getResponseHeader("Retry-After");
      const headers: HeadersInit = retryAfter === null ? {} : { "Retry-After": retryAfter };
      if (request.status === 0) reject(new TypeError("The upload was interrupted."));
      else resolve(new Response(null, { status: request.status, headers }));
    };
    if (signal?.aborted) return reject(new TypeError("The upload was aborted."));
    signal?.addEventListener("abort", abort);
    request.send(file);
  });
}
