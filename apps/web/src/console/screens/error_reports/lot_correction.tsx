/** The correction of one field of the lot, with the resolution of a report. */
import { changeOf, choicesOf, isNumber, LOT_FIELDS, type LotField, names } from "../../../lot_fields.ts";
import { consoleTexts } from "../../../texts/console.ts";

const text = consoleTexts(({ errorReports }) => errorReports);

/** The field to correct with its correct value. */
export interface Correction {
  readonly field: LotField | "";
  readonly value: string;
}

export const NO_CORRECTION: Correction = { field: "", value: "" };

/** The part of the request; empty without a correction. */
export const correctionOf = ({ field, value }: Correction) =>
  field === "" ? {} : { correction: { ...changeOf(field, value) } };

export function LotCorrection({ correction, onChange }: {
  correction: Correction;
  onChange: (correction: Correction) => void;
}) {
  const t = text.value;
  const { field } = correction;
  return (
    <div class="console-bar">
      <label class="field">
        <span>{t.correction}</span>
        <select
          value={field}
          onChange={(event) => onChange({ field: event.currentTarget.value as Correction["field"], value: "" })}
        >
          <option value="">{t.noCorrection}</option>
          {LOT_FIELDS.map((field) => <option key={field} value={field}>{names.value[field]}</option>)}
        </select>
      </label>
      {field !== "" && (
        <label class="field">
          <span>{t.value}</span>
          <LotValue field={field} value={correction.value} onChange={(value) => onChange({ field, value })} />
        </label>
      )}
    </div>
  );
}

function LotValue(
  { field, value, onChange }: { field: LotField; value: string; onChange: (value: string) => void },
) {
  const choices = choicesOf(field);
  return choices
    ? (
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">–</option>
        {choices.map(([code, label]) => <option key={code} value={code}>{label}</option>)}
      </select>
    )
    : (
      <input
        inputMode={isNumber(field) ? "decimal" : "text"}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
}
