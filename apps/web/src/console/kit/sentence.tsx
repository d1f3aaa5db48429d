/** A sentence of the texts with parts of the page in it: `"{from} to {to}: {price}"`. */
import { type ComponentChildren, Fragment } from "preact";

export function sentence(template: string, slots: Readonly<Record<string, ComponentChildren>>): ComponentChildren {
  return template.split(/(\{\w+\})/).map((part, index) => {
    const slot = /^\{(\w+)\}$/.exec(part)?.[1];
    return <Fragment key={index}>{slot === undefined ? part : slots[slot]}</Fragment>;
  });
}
