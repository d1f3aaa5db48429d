/** A card of figures, and one figure. */
import type { ComponentChildren } from "preact";
import { number } from "../../../format.ts";
import { href } from "../../../router.ts";

export function FigureCard({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Figure(
  { name, value, note, path }: { name: string; value: number | string; note?: string; path?: string },
) {
  const shown = typeof value === "number" ? number(value) : value;
  return (
    <p class="console-figure">
      <span>{path === undefined ? name : <a href={href(path)}>{name}</a>}</span>
      <strong>{shown}</strong>
      {note && <span class="small">{note}</span>}
    </p>
  );
}
