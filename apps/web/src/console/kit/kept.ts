/// <reference lib="dom" />
/** What an administrator keeps in this browser: how a list looks, and filters with a name. */
import { signal } from "@preact/signals";
import { me } from "./access.ts";

/** Counts the changes, so that all that shows a kept value is drawn again. */
const changes = signal(0);

/** Each administrator has values of their own. */
const storedName = (name: string) => `console-${name}:${me.value?.user_id}`;

/** The kept value; the other one if there is none, or one of an older version that does not fit. */
export function kept<Value>(name: string, isValue: (value: unknown) => value is Value, otherwise: Value): Value {
  void changes.value;
  const stored = localStorage.getItem(storedName(name));
  if (stored === null) return otherwise;
  try {
    const value: unknown = JSON.parse(stored);
    return isValue(value) ? value : otherwise;
  } catch {
    // Something else wrote it: the list looks as it does at first.
    return otherwise;
  }
}

export function keep(name: string, value: unknown): void {
  localStorage.setItem(storedName(name), JSON.stringify(value));
  changes.value++;
}
