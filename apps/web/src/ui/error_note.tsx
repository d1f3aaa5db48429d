/** An error as a sentence in the reader's language, with the button that helps. Codes and ids are behind "Details". */
import { useEffect, useState } from "preact/hooks";
import { ApiError, NetworkError } from "parking-lot-client";
import { askToSignIn } from "../sign_in.ts";
import { pageTexts } from "../texts/pages.ts";
import { errorDetails, errorText } from "./error_text.ts";

const text = pageTexts(({ ui }) => ui.errorNote);

export interface ErrorNoteProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** What goes on after signing in; by default the same as a retry. */
  readonly onSignedIn?: (() => void) | undefined;
}

export function ErrorNote({ error, onRetry, onSignedIn = onRetry }: ErrorNoteProps) {
  const t = text.value;
  const isUnknown = (error instanceof ApiError || error instanceof NetworkError) && error.isOutcomeUnknown;
  const details = errorDetails(error);
  return (
    <div class="notice error" role="alert">
      <p>{errorText(error)}{isUnknown && ` ${t.unknown}`}</p>
      <Help error={error} onRetry={onRetry} onSignedIn={onSignedIn} />
      {details.length > 0 && (
        <details class="small">
          <summary>{t.details}</summary>
          {details.map((detail) => <p key={detail}>{detail}</p>)}
        </details>
      )}
    </div>
  );
}

/** The button: to sign in, to try again, or to wait until that is allowed. */
function Help({ error, onRetry, onSignedIn }: ErrorNoteProps) {
  const t = text.value;
  const wait = useWait(error);
  if (error instanceof ApiError && error.code === "unauthorized") {
    const signIn = async () => {
      if (await askToSignIn()) onSignedIn?.();
    };
    return <button type="button" class="primary" onClick={() => void signIn()}>{t.signIn}</button>;
  }
  if (wait > 0 && onRetry === undefined) return <p class="small">{t.wait(wait)}</p>;
  if (onRetry === undefined) return null;
  return (
    <button type="button" disabled={wait > 0} onClick={onRetry}>
      {wait > 0 ? t.wait(wait) : t.again}
    </button>
  );
}

/** The seconds until the service accepts another request, counted down. */
function useWait(error: unknown): number {
  const seconds = error instanceof ApiError && error.code === "rate_limited" ? error.retryAfterSeconds ?? 0 : 0;
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const until = Date.now() + seconds * 1000;
    const count = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    count();
    if (seconds === 0) return;
    const timer = setInterval(count, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
