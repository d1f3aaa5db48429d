/// <reference lib="dom" />
/** Filters that an administrator has given a name: each is a link, as the address has the filters. */
import { href, place } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";
import { limited } from "../../ui/validity.ts";
import { keep, kept } from "./kept.ts";
import { Menu } from "./menu.tsx";

const text = consoleTexts(({ kit }) => kit.views);

interface View {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

const isViews = (value: unknown): value is View[] =>
  Array.isArray(value) && value.every((view) => typeof view?.name === "string" && typeof view?.query === "object");

/** So many views a list is still a short one. */
const MOST = 30;
const LONGEST_NAME = 60;

const isSame = (a: View["query"], b: View["query"]) =>
  JSON.stringify(Object.entries(a).toSorted()) === JSON.stringify(Object.entries(b).toSorted());

export function SavedViews({ list, names }: {
  /** The path of the list. */
  list: string;
  /** The parameters that are filters. */
  names: readonly string[];
}) {
  const t = text.value;
  const stored = `views ${list}`;
  const views = kept(stored, isViews, []);
  const { query, path } = place.value;
  const now = Object.fromEntries(names.flatMap((name) => query.get(name) ? [[name, query.get(name)!]] : []));
  const current = views.find((view) => isSame(view.query, now));
  const canSave = Object.keys(now).length > 0 && current === undefined && views.length < MOST;
  if (views.length === 0 && !canSave) return null;
  return (
    <Menu name={current?.name ?? t.views}>
      {views.length > 0 && (
        <ul class="console-views">
          {views.map((view) => (
            <li key={view.name}>
              <a href={href(path, view.query)} aria-current={view === current ? "true" : undefined}>{view.name}</a>
              <button
                type="button"
                class="quiet"
                aria-label={t.remove(view.name)}
                title={t.remove(view.name)}
                onClick={() => keep(stored, views.filter((other) => other !== view))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {canSave && (
        <form
          class="console-view-save"
          onSubmit={(event) => {
            event.preventDefault();
            const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
            if (name === "") return;
            keep(stored, [...views.filter((view) => view.name !== name), { name, query: now }]);
          }}
        >
          <input
            name="name"
            aria-label={t.name}
            placeholder={t.name}
            required
            {...limited({ maxLength: LONGEST_NAME })}
          />
          <button type="submit">{t.save}</button>
        </form>
      )}
    </Menu>
  );
}
