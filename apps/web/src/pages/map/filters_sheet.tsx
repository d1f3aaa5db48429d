/** The sheet of the conditions: distance, price, features and everything else that the service can filter by. */
import { useState } from "preact/hooks";
import { distance } from "../../format.ts";
import { isAppUser } from "../../following.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Sheet } from "../../ui/sheet.tsx";
import { CONDITION_FIELDS, type Values } from "../../conditions.ts";
import { ChoiceInput, Condition, FlagInput } from "./fields.tsx";
import { MyPresets, WalkValue } from "./own.tsx";
import { RADII } from "./search.ts";

const text = pageTexts(({ map }) => map.filtersSheet);

export interface FiltersSheetProps {
  readonly values: Values;
  readonly radius: number;
  readonly onValues: (values: Values) => void;
  /** Operators of the lots that the page knows, as suggestions. */
  readonly operators: readonly string[];
  /** The value of a minute of walking has changed. */
  readonly onWalkValue: () => void;
  readonly onClose: () => void;
}

/** The values of no condition. */
export const NO_CONDITIONS: Values = {
  ...Object.fromEntries(CONDITION_FIELDS.map(({ name }) => [name, ""])),
  only_fitting: "",
};

export function FiltersSheet({ values, radius, onValues, operators, onWalkValue, onClose }: FiltersSheetProps) {
  const t = text.value;
  const [draft, setDraft] = useState(values);
  const change = (fields: Values) => setDraft((before) => ({ ...before, ...fields }));
  const choose = (fields: Values) => {
    onValues(fields);
    onClose();
  };
  const radii = [...new Set([...RADII, radius])].sort((a, b) => a - b);
  return (
    <Sheet
      title={t.title}
      class="find-filters"
      onClose={onClose}
      actions={
        <>
          <button type="button" class="primary" onClick={() => choose(draft)}>{t.search}</button>
          <button type="button" class="quiet" onClick={() => setDraft({ ...draft, ...NO_CONDITIONS })}>
            {t.clear}
          </button>
        </>
      }
    >
      <ChoiceInput
        label={t.radius}
        value={draft["radius"] || String(radius)}
        options={radii.map((meters) => [String(meters), distance(meters)])}
        onChange={(radius) => change({ radius })}
      />
      {CONDITION_FIELDS.map((field) => (
        <Condition
          key={field.name}
          field={field}
          label={t.fields[field.name]}
          values={draft}
          change={change}
          operators={operators}
        />
      ))}
      <FlagInput
        label={t.onlyFitting}
        isSet={Boolean(draft["only_fitting"])}
        onChange={(isSet) => change({ only_fitting: isSet ? "true" : "" })}
      />
      {isAppUser.value && (
        <>
          <MyPresets change={choose} />
          <WalkValue onChange={onWalkValue} />
        </>
      )}
    </Sheet>
  );
}
