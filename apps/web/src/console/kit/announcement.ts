/** What the console has just done, as a sentence: shown, and read aloud by screen readers. */
import { signal } from "@preact/signals";

export const announcement = signal("");
