/** The sentence of an error in the reader's language. */
import { ApiError, NetworkError } from "parking-lot-client";
import { OfflineError } from "../parts.ts";
import { SentenceError } from "../sentence_error.ts";
import { pageTexts } from "../texts/pages.ts";

const text = pageTexts(({ errors }) => errors);

type Codes = keyof typeof text.value.codes;

/** Errors of this application with a reason that has a sentence, for example of the position. */
interface PositionError extends Error {
  readonly reason: keyof typeof text.value.position;
}

const isPositionError = (error: unknown): error is PositionError =>
  error instanceof Error && error.name === "PositionError";

/** An error of the auth server: its client throws several classes, whose names begin alike. */
const isAuthError = (error: unknown): error is Error & { readonly code?: string } =>
  error instanceof Error && error.name.startsWith("Auth");

export function errorText(error: unknown): string {
  const t = text.value;
  if (typeof error === "string") return error;
  if (error instanceof SentenceError) return error.message;
  if (error instanceof ApiError) return codeText(error.code, Object(error.details)["reason"]);
  if (error instanceof NetworkError || isLost(error)) return t.offline;
  if (isPositionError(error)) return t.position[error.reason];
  if (isAuthError(error)) return valueOf(t.auth, error.code) ?? t.auth.other;
  return t.other;
}

/** The sentence for a code of the service and the reason in its details. */
export function codeText(code: string, reason: unknown): string {
  const t = text.value;
  return valueOf(t.reasons, reason) ?? t.codes[code as Codes] ?? t.codes.server_error;
}

/** The sentence for a field; `message` is the one of the service. */
export function fieldText(code: string, message: string): string {
  return text.value.field(code, message);
}

/** What somebody who helps needs to know: codes and ids, and the sentence of the service. */
export function errorDetails(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  if (error instanceof ApiError) {
    const { code, message, param, requestId } = error;
    return [message, [code, param].filter(Boolean).join(", "), requestId].filter((detail) => detail !== null);
  }
  return [NetworkError, SentenceError].some((kind) => error instanceof kind) || isPositionError(error)
    ? []
    : [error.message];
}

function valueOf(texts: Readonly<Record<string, string>>, name: unknown): string | undefined {
  return typeof name === "string" && Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** A part of the page, or a request of the auth client, that the browser could not load or send. */
const isLost = (error: unknown): boolean =>
  error instanceof OfflineError || (isAuthError(error) && error.name === "AuthRetryableFetchError");
