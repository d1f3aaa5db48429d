/** The tags of a lot: for each one whether the lot has it, has not, or that it is uncertain. */
import { useState } from "preact/hooks";
import { consoleTexts } from "../../../../texts/console.ts";
import { Loaded, useLoad } from "../../../../ui/load.tsx";
import { client } from "../../../kit/access.ts";
import { type Entry, ifMatch } from "../../../kit/entry.ts";
import type { Lot } from "../prices/tariff.ts";
import { SaveBar, useSaved } from "../save_bar.tsx";
import { statesOf, tagsWith } from "./order.ts";

const text = consoleTexts(({ tags }) => tags);

const STATES = [["has", true], ["hasNot", false], ["uncertain", null], ["unsaid", undefined]] as const;

export function TagsEditor({ entry }: { entry: Entry<Lot> }) {
  const t = text.value;
  const all = useLoad(async (signal) => (await client.GET("/v1/tags", { signal })).data.items, []);
  const [changes, setChanges] = useState<ReadonlyMap<string, boolean | null | undefined>>(new Map());
  const saved = useSaved(entry, {
    isSame: (a, b) => JSON.stringify(a.tags) === JSON.stringify(b.tags),
    onReset: () => setChanges(new Map()),
    save: (seen) =>
      client.PUT("/v1/admin/parking-lots/{id}/tags", {
        params: { path: { id: seen.data.id }, header: ifMatch(seen) },
        body: { tags: tagsWith(seen.data.tags, changes) },
      }),
  });
  const stored = statesOf(saved.base.tags);
  const choose = (id: string, state: boolean | null | undefined) =>
    setChanges((now) => {
      const next = new Map(now);
      if (state === stored.get(id)) next.delete(id);
      else next.set(id, state);
      return next;
    });
  return (
    <Loaded load={all}>
      {(known) => {
        // A tag that is not offered any more stays until it is taken out.
        const names = new Map([
          ...known.map(({ id, name }) => [id, name] as const),
          ...saved.base.tags.map(({ tag_id, name }) => [tag_id, name] as const),
        ]);
        return (
          <>
            <p class="small">{t.hint}</p>
            <ul class="tags-list">
              {[...names].map(([id, name]) => {
                const state = changes.has(id) ? changes.get(id) : stored.get(id);
                return (
                  <li key={id} class={changes.has(id) ? "is-changed" : undefined}>
                    <span>{name}</span>
                    <div class="lot-choice" role="group" aria-label={name}>
                      {STATES.map(([word, value]) => (
                        <button
                          key={word}
                          type="button"
                          aria-pressed={state === value}
                          onClick={() => choose(id, value)}
                        >
                          {t.states[word]}
                        </button>
                      ))}
                    </div>
                  </li>
                );
              })}
            </ul>
            <SaveBar
              entry={entry}
              saved={saved}
              isChanged={changes.size > 0}
              fields={[{
                label: t.tags,
                show: ({ tags }) => (
                  <ul>
                    {tags.map(({ tag_id, name, state }) => (
                      <li key={tag_id}>
                        {name}: {t.states[STATES.find(([, value]) => value === state)![0]]}
                      </li>
                    ))}
                  </ul>
                ),
                value: ({ tags }) => tags,
              }]}
            />
          </>
        );
      }}
    </Loaded>
  );
}
