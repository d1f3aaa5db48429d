/** The lot that the pointer or the focus is on, in the list or on the map. */
import { signal } from "@preact/signals";

export const highlighted = signal<string | undefined>(undefined);
