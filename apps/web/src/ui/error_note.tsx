/** An error of a request, as a sentence with the id under which the service logged it. */
import { ApiError, NetworkError } from "parking-lot-client";
import { pageTexts } from "../texts/pages.ts";

const text = pageTexts(({ ui }) => ui.errorNote);

/** The sentence that a page shows for an error. */
function sentenceOf(error: unknown): string {
  if (error instanceof NetworkError) return text.value.offline;
  return error instanceof Error ? error.message : String(error);
}

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const isUnknown = (error instanceof ApiError || error instanceof NetworkError) && error.isOutcomeUnknown;
  return (
    <div class="notice error" role="alert">
      <p>{sentenceOf(error)}{isUnknown && ` ${text.value.unknown}`}</p>
      {error instanceof ApiError && error.requestId && (
        <p class="small">
          {error.code}. {text.value.request}: <code>{error.requestId}</code>
        </p>
      )}
      {onRetry && <button type="button" onClick={onRetry}>{text.value.again}</button>}
    </div>
  );
}
