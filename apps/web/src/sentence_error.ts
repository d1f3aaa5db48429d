/** An error whose message is a sentence in the reader's language, for a page to show as it is. */
export class SentenceError extends Error {
  override readonly name = "SentenceError";
}
