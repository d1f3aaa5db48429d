/** The columns of a table that an administrator wants to see. The first one names the entry and stays. */
import { consoleTexts } from "../../texts/console.ts";
import { keep, kept } from "./kept.ts";
import { Menu } from "./menu.tsx";

const text = consoleTexts(({ kit }) => kit.columns);

const isPositions = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((position) => Number.isInteger(position));

const storedFor = (list: string, count: number) => `columns ${list} ${count}`;

/** The columns that are shown. A list whose columns are others than before shows all. */
export function shownColumns<Column>(list: string, columns: readonly Column[]): readonly Column[] {
  const hidden = kept(storedFor(list, columns.length), isPositions, []);
  return columns.filter((_, position) => position === 0 || !hidden.includes(position));
}

export function ColumnChoice({ list, heads }: { list: string; heads: readonly string[] }) {
  const t = text.value;
  const stored = storedFor(list, heads.length);
  const hidden = kept(stored, isPositions, []);
  if (heads.length < 3) return null;
  return (
    <Menu name={t.columns} mark={hidden.length > 0 ? `${heads.length - hidden.length}/${heads.length}` : undefined}>
      <fieldset class="console-choice">
        <legend class="visually-hidden">{t.columns}</legend>
        {heads.map((head, position) => (
          <label key={head} class="row">
            <input
              type="checkbox"
              checked={!hidden.includes(position)}
              disabled={position === 0}
              onChange={({ currentTarget: { checked } }) =>
                keep(
                  stored,
                  checked
                    ? hidden.filter((other) => other !== position)
                    : [...hidden, position],
                )}
            />
            {head}
          </label>
        ))}
      </fieldset>
    </Menu>
  );
}
