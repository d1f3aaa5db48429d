/// <reference lib="dom" />
/** Checks of text fields that the browser does not have. It shows the sentence at the field when the form is sent. */
import { number } from "../format.ts";
import { pageTexts } from "../texts/pages.ts";
import { textLength } from "./text_length.ts";

const text = pageTexts(({ ui }) => ui.validity);

/** The sentence of what is wrong with a value; empty if nothing is. */
export type Check = (value: string) => string;
type TextField = HTMLInputElement | HTMLTextAreaElement;

export function lengthCheck(maxLength = Infinity): Check {
  return (value) => {
    const excess = textLength(value) - maxLength;
    return excess > 0 ? text.value.tooLong(number(excess), number(maxLength)) : "";
  };
}

/** Attributes of a field: it is checked after each input, and each time that it is drawn, with a value of the page. */
export function validity(check: Check) {
  const run = (field: TextField | null) => field?.setCustomValidity(check(field.value));
  return { ref: run, onInput: ({ currentTarget }: { readonly currentTarget: TextField }) => run(currentTarget) };
}

/** The bound of a text as attributes of its field. */
export const limited = ({ maxLength }: { readonly maxLength: number }) => validity(lengthCheck(maxLength));
