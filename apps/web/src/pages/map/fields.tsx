/** The inputs of the panel. Each passes its value on when a user has finished entering it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { options } from "../../codes.ts";
import { language } from "../../language.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { useLoad } from "../../ui/load.tsx";
import { type ConditionField, listOf, type Values } from "../../conditions.ts";

const text = pageTexts(({ map }) => map.fields);

export function LabelledInput({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

type Options = readonly (readonly [value: string, text: string])[];

export function ChoiceInput({ label, value, options, onChange }: InputProps & { options: Options }) {
  return (
    <LabelledInput label={label}>
      {(id) => (
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </select>
      )}
    </LabelledInput>
  );
}

export function FlagInput(
  { label, isSet, onChange }: { label: string; isSet: boolean; onChange: (isSet: boolean) => void },
) {
  return (
    <label class="row">
      <input type="checkbox" checked={isSet} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}

export interface ConditionProps {
  readonly field: ConditionField;
  readonly label: string;
  readonly values: Values;
  readonly change: (fields: Values) => void;
  /** Operators as suggestions. */
  readonly operators: readonly string[];
}

/** The input of a field of the table. */
export function Condition({ field, label, values, change, operators }: ConditionProps) {
  const value = values[field.name] ?? "";
  const input = { label, value, onChange: (value: string) => change({ [field.name]: value }) };
  switch (field.kind) {
    case "number":
      return <NumberInput {...input} min={field.min} max={field.max} step={field.step} />;
    case "flag":
      return <FlagInput label={label} isSet={value !== ""} onChange={(isSet) => input.onChange(isSet ? "true" : "")} />;
    case "words":
      return <WordsInput {...input} suggestions={field.suggest ? operators : []} />;
    case "codes":
      return <CodesInput {...input} options={options(field.category)} />;
    case "tags":
      return <TagsInput {...input} />;
  }
}

export function NumberInput(
  { label, value, onChange, ...bounds }: InputProps & { min: number; max: number; step: number },
) {
  return (
    <LabelledInput label={label}>
      {(id) => (
        <input
          id={id}
          type="number"
          {...bounds}
          value={value}
          onChange={({ currentTarget }) => currentTarget.reportValidity() && onChange(currentTarget.value)}
        />
      )}
    </LabelledInput>
  );
}

function WordsInput({ label, value, onChange, suggestions }: InputProps & { suggestions: readonly string[] }) {
  return (
    <LabelledInput label={label}>
      {(id) => (
        <>
          <input
            id={id}
            list={`${id}-known`}
            value={value}
            aria-describedby={`${id}-hint`}
            onChange={({ currentTarget }) => onChange(listOf(currentTarget.value).join(","))}
          />
          <datalist id={`${id}-known`}>{suggestions.map((word) => <option key={word} value={word} />)}</datalist>
          <p class="small" id={`${id}-hint`}>{text.value.commas}</p>
        </>
      )}
    </LabelledInput>
  );
}

function CodesInput({ label, value, onChange, options }: InputProps & { options: Options }) {
  const chosen = listOf(value);
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="choices">
        {options.map(([code, name]) => (
          <FlagInput
            key={code}
            label={name}
            isSet={chosen.includes(code)}
            onChange={(isSet) =>
              onChange((isSet ? [...chosen, code] : chosen.filter((other) => other !== code)).join(","))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The tags that are no features: every feature has a tag of its name, and the search knows more about it. */
function TagsInput(input: InputProps) {
  const lang = language.value;
  const { data } = useLoad(
    (signal) => Array.fromAsync(client.pages("/v1/tags", { params: { query: { lang, limit: 100 } }, signal })),
    [lang],
  );
  const features = new Set(options("attribute").map(([code]) => code));
  const others = (data ?? []).filter(({ slug }) => !features.has(slug));
  if (others.length === 0) return null;
  return <CodesInput {...input} options={others.map(({ slug, name }) => [slug, name])} />;
}
