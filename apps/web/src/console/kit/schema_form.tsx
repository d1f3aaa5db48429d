/// <reference lib="dom" />
/** A form for any request of the contract: its fields are made from the request's schema. */
import { type ComponentChildren, type ComponentType, createContext } from "preact";
import { useContext, useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { UploadOptions } from "parking-lot-client";
import { label as codeLabel, options as codeOptions } from "../../codes.ts";
import { weekdayName } from "../../format.ts";
import { toLocalInput } from "../../local_time.ts";
import { consoleTexts } from "../../texts/console.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { Field, Form, Notes, Select, useField } from "../../ui/form.tsx";
import { Loaded, useAction, useLoad } from "../../ui/load.tsx";
import { lengthCheck, validity } from "../../ui/validity.ts";
import { client } from "./access.ts";
import { type Operation, readRequest } from "./contract.ts";
import { at, changedFields, type FieldModel, type Model, readValue, rowsAt, variantAt, variantOf } from "./schema.ts";

const text = consoleTexts(({ kit }) => kit.schemaForm);
const names = consoleTexts(({ fields }) => fields as Readonly<Record<string, string>>);
const hints = consoleTexts(({ hints }) => hints as Readonly<Record<string, string>>);

type Options = readonly (readonly [value: string, label: string])[];

/** A field that is chosen by more than its schema. */
export type Control =
  /** One of these values. */
  | { readonly options: Options }
  /** A file: its id is the value. */
  | { readonly upload: UploadOptions["category"]; readonly pictures?: Readonly<Record<string, string>> }
  /** A part of the form of its own. It has a field of this name with the value as JSON. */
  | { readonly editor: ComponentType<EditorProps> }
  /** It is not shown: the start value is sent. */
  | "hidden";
export type Controls = Readonly<Record<string, Control>>;

export interface EditorProps {
  readonly name: string;
  readonly legend: string;
  /** The value at first. */
  readonly value: unknown;
}

const FormControls = createContext<Controls>({});

/** The categories of the fields whose values are codes, by the name of the field. */
const CATEGORIES: Readonly<Record<string, string>> = {
  accessibility: "accessibility",
  activity_type: "user_activity",
  areas: "admin_area",
  billing_period: "billing_period",
  cap_type: "cap_type",
  day_type: "day_type",
  difficulty: "difficulty",
  entry_difficulty: "difficulty",
  entry_method: "entry_method",
  ev_connector_type: "ev_connector_type",
  placement: "ad_placement",
  shape_type: "shape_type",
  status: "parking_lot_status",
  store: "store",
  structure: "structure",
  task: "store_sync_task",
  vehicle_type: "vehicle_type",
  vehicle_type_max: "vehicle_type",
  vehicle_types: "vehicle_type",
  window_type: "window_type",
};

/** Days of the week are numbers: 0 is Sunday, and where the first is 1, Monday. */
const WEEKDAYS: Readonly<Record<string, readonly number[]>> = {
  day_of_week: [0, 1, 2, 3, 4, 5, 6],
  weekday: [1, 2, 3, 4, 5, 6, 7],
};

const weekdays = (name: string): Options => WEEKDAYS[name]!.map((day) => [String(day), weekdayName(day, "long")]);

export const isField = (name: string): boolean => name in names.value;
export const fieldLabel = (name: string): string => names.value[name] ?? name;

export interface SchemaFormProps {
  readonly operation: Operation;
  /** The values at first. */
  readonly start?: object;
  readonly submit: string;
  readonly controls?: Controls;
  /** Only the fields that differ from the start are sent. */
  readonly isUpdate?: boolean;
  readonly onSubmit: (body: Record<string, unknown>) => Promise<unknown>;
  readonly children?: ComponentChildren;
}

export function SchemaForm(props: SchemaFormProps) {
  const { operation } = props;
  const load = useLoad(() => readRequest(operation), [operation]);
  return <Loaded load={load}>{(model) => <ModelForm {...props} model={model} />}</Loaded>;
}

function ModelForm(props: SchemaFormProps & { model: Model }) {
  const { model, start = {}, submit, controls = {}, isUpdate = false, onSubmit, children } = props;
  const holder = useRef<HTMLDivElement>(null);
  const before = useRef<object>({});
  useEffect(() => {
    before.current = readValue(model, new FormData(holder.current!.querySelector("form")!)) as object;
  }, [model]);
  return (
    <div ref={holder}>
      <FormControls.Provider value={controls}>
        <Form
          class="form console-schema"
          submit={submit}
          onSubmit={async (values) => {
            const body = readValue(model, values) as Record<string, unknown>;
            await onSubmit(isUpdate ? changedFields(before.current, body) : body);
          }}
        >
          <ModelFields model={model} path="" value={start} isUpdate={isUpdate} />
          {children}
        </Form>
      </FormControls.Provider>
    </div>
  );
}

interface PartProps {
  readonly model: Model;
  readonly path: string;
  readonly value: unknown;
  readonly isUpdate: boolean;
}

/** The fields of an object. */
export function ModelFields({ model, path, value, isUpdate }: PartProps) {
  if (model.kind !== "object") return null;
  const values = Object(value) as Record<string, unknown>;
  return (
    <>
      {model.fields.map((field) => (
        <ModelField
          key={field.name}
          field={field}
          path={at(path, field.name)}
          value={values[field.name]}
          {...{ isUpdate }}
        />
      ))}
    </>
  );
}

interface FieldProps extends Omit<PartProps, "model"> {
  readonly field: FieldModel;
}

function ModelField({ field, path, value, isUpdate }: FieldProps) {
  const { name, isRequired, model } = field;
  // What an administrator has entered stays when a newer version is read.
  const [first] = useState(value ?? model.default);
  const control = useContext(FormControls)[name] ?? (name in WEEKDAYS ? { options: weekdays(name) } : undefined);
  if (control === "hidden" || (name === "id" && control === undefined)) {
    return <input type="hidden" name={path} value={textOf(first)} />;
  }
  // A field that has a value and no null cannot be emptied.
  const isKept = isUpdate && !model.isNullable && first !== undefined && first !== null;
  const common = { name: path, label: fieldLabel(name), hint: hints.value[name], required: isRequired || isKept };
  if (control !== undefined && "editor" in control) {
    return <control.editor name={path} legend={common.label} value={first} />;
  }
  if (control !== undefined && "upload" in control) {
    return <Upload {...common} control={control} value={textOf(first)} />;
  }
  const options = (control && "options" in control ? control.options : undefined) ??
    (model.kind === "text" && CATEGORIES[name] ? codesOf(name) : undefined);
  if (options !== undefined) return <Choice {...common} model={model} options={options} value={textOf(first)} />;
  return <Input {...common} field={field} value={first} isUpdate={isUpdate} />;
}

interface InputProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly required: boolean;
}

/** The input for a kind of field. */
function Input({ field, value, isUpdate, ...common }: InputProps & Omit<FieldProps, "path">) {
  const { model } = field;
  const shown = textOf(value);
  const part = { path: common.name, value, isUpdate };
  switch (model.kind) {
    case "text":
      return <Field {...common} type={model.type} {...model.bounds} defaultValue={shown} />;
    case "id":
    case "clock":
      return <Field {...common} {...(model.kind === "clock" ? { placeholder: "08:00" } : {})} defaultValue={shown} />;
    case "number":
      return <Field {...common} type="number" {...model.bounds} defaultValue={shown} />;
    case "moment":
      return <Field {...common} type="datetime-local" defaultValue={shown && toLocalInput(shown)} />;
    case "date":
      return <Field {...common} type="date" defaultValue={shown} />;
    case "area":
      return <Area {...common} rows={(model.bounds.maxLength ?? 0) > 4000 ? 14 : 3} {...model.bounds} value={shown} />;
    case "lines":
      return (
        <Area
          {...common}
          hint={common.hint ?? text.value.lines}
          rows={3}
          value={Array.isArray(value) ? value.join("\n") : ""}
        />
      );
    case "choice":
      return <Choice {...common} model={model} options={choicesOf(field, model.values)} value={shown} />;
    case "boolean":
      return typeof value === "boolean" && !model.isNullable
        ? <Check {...common} isChecked={value} />
        : <Choice {...common} model={model} options={yesOrNo()} value={shown} />;
    case "checks":
      return <Checks {...common} options={choicesOf(field, model.values)} value={value} />;
    case "object":
      return (
        <fieldset class="console-part">
          <legend>{common.label}</legend>
          {common.hint && <p class="small">{common.hint}</p>}
          <ModelFields model={optional(model, common.required)} {...part} />
        </fieldset>
      );
    case "rows":
      return <Rows {...common} {...part} model={model} />;
    case "variants":
      return <Variants {...common} {...part} field={field} model={model} />;
    case "json":
      return (
        <Area
          {...common}
          hint={[common.hint, text.value.json].filter(Boolean).join(" ")}
          rows={5}
          value={value === undefined || value === null ? "" : JSON.stringify(value, null, 2)}
          isJson
        />
      );
  }
}

/** Inside an object that can be left out nothing is required by the browser; the service names what is missing. */
function optional(model: Model, isRequired: boolean): Model {
  if (isRequired || model.kind !== "object") return model;
  return { ...model, fields: model.fields.map((field) => ({ ...field, isRequired: false })) };
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

const yesOrNo = (): Options => [["true", text.value.yes], ["false", text.value.no]];

/** The label of a value of a field whose values are codes; other values are shown as they are. */
export function codeOfField(name: string, value: string): string {
  const category = CATEGORIES[name];
  return category === undefined ? value : codeLabel(category, value);
}

const codesOf = (name: string): Options => codeOptions(CATEGORIES[name]!);

/** The label of one of the few values that a field can have. */
export function choiceLabel(name: string, value: string): string {
  const known = codeOfField(name, value);
  return known === value ? (text.value.values as Readonly<Record<string, string>>)[value] ?? value : known;
}

/** The values of a field with their labels. */
const choicesOf = ({ name }: FieldModel, values: readonly string[]): Options =>
  values.map((value) => [value, choiceLabel(name, value)]);

/** One of some values. A value that is not offered any more stays. */
function Choice({ model, options, value, ...common }: InputProps & { model: Model; options: Options; value: string }) {
  const missing: Options = value === "" || options.some(([code]) => code === value) ? [] : [[value, value]];
  const none: Options = common.required && value !== "" ? [] : [["", model.isNullable ? "–" : text.value.notSet]];
  return <Select {...common} options={[...none, ...options, ...missing]} defaultValue={value} />;
}

function Check({ name, label, hint, isChecked }: InputProps & { isChecked: boolean }) {
  const { id, error, attributes } = useField(name, hint);
  return (
    <div class="field">
      <div class="row">
        <input type="hidden" name={name} value="false" />
        <input type="checkbox" value="true" defaultChecked={isChecked} {...attributes} />
        <label for={id}>{label}</label>
      </div>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

function Checks({ name, label, hint, options, value }: InputProps & { options: Options; value: unknown }) {
  const { id, error } = useField(name, hint);
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <fieldset class="console-part">
      <legend>{label}</legend>
      <input type="hidden" name={name} value="" />
      <div class="console-checks">
        {options.map(([code, label]) => (
          <label key={code} class="row">
            <input type="checkbox" name={name} value={code} defaultChecked={chosen.includes(code)} />
            {label}
          </label>
        ))}
      </div>
      <Notes id={id} hint={hint} error={error} />
    </fieldset>
  );
}

interface AreaProps extends InputProps {
  readonly value: string;
  readonly rows: number;
  readonly isJson?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
}

function Area({ name, label, hint, value, isJson = false, maxLength, ...area }: AreaProps) {
  const { id, error, attributes } = useField(name, hint);
  return (
    <div class="field console-area">
      <label for={id}>{label}</label>
      <textarea
        {...area}
        {...attributes}
        class={isJson ? "console-json" : undefined}
        spellcheck={!isJson}
        defaultValue={value}
        {...validity(isJson ? jsonCheck : lengthCheck(maxLength))}
      />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

function jsonCheck(value: string): string {
  if (value.trim() === "") return "";
  try {
    JSON.parse(value);
    return "";
  } catch {
    return text.value.noJson;
  }
}

/** Rows that are added, moved and removed. */
function Rows({ name, label, hint, model, value, isUpdate }: InputProps & PartProps) {
  const { id, error } = useField(name, hint);
  const holder = useRef<HTMLFieldSetElement>(null);
  const [rows, setRows] = useState(() => listOf(value).map((value, key) => ({ key, value })));
  const next = useRef(rows.length);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) holder.current?.dispatchEvent(new Event("input", { bubbles: true }));
    isFirst.current = false;
  }, [rows]);
  if (model.kind !== "rows") return null;
  const t = text.value;
  const move = (index: number, to: number) => {
    const moved = rows.toSpliced(index, 1);
    setRows(moved.toSpliced(to, 0, rows[index]!));
  };
  return (
    <fieldset class="console-part" ref={holder}>
      <legend>{label}</legend>
      {hint && <p class="small" id={`${id}-hint`}>{hint}</p>}
      <input type="hidden" name={rowsAt(name)} value={rows.length} />
      {model.isNullable && <input type="hidden" name={`${name}#null`} value="" />}
      {error && <p class="small wrong" id={`${id}-error`}>{error}</p>}
      {rows.map(({ key, value }, index) => (
        <div key={key} class="console-one" role="group" aria-label={t.row(label, index + 1)}>
          <ModelFields model={model.row} path={at(name, index)} value={value} isUpdate={isUpdate} />
          <div class="console-one-acts">
            <RowButton
              name={t.up(index + 1)}
              isOff={index === 0}
              onClick={() =>
                move(index, index - 1)}
            >
              ↑
            </RowButton>
            <RowButton
              name={t.down(index + 1)}
              isOff={index === rows.length - 1}
              onClick={() =>
                move(index, index + 1)}
            >
              ↓
            </RowButton>
            <RowButton
              name={t.remove(index + 1)}
              onClick={() =>
                setRows(rows.toSpliced(index, 1))}
            >
              ×
            </RowButton>
          </div>
        </div>
      ))}
      {rows.length < (model.max ?? Infinity) && (
        <button
          type="button"
          onClick={() => setRows([...rows, { key: next.current++, value: undefined }])}
        >
          {t.add}
        </button>
      )}
    </fieldset>
  );
}

const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];

function RowButton(
  { name, isOff = false, onClick, children }: {
    name: string;
    isOff?: boolean;
    onClick: () => void;
    children: ComponentChildren;
  },
) {
  return (
    <button type="button" class="quiet" aria-label={name} title={name} disabled={isOff} onClick={onClick}>
      {children}
    </button>
  );
}

/** A field with several shapes: its kind is chosen first. */
function Variants(
  { name, label, hint, field, model, value, isUpdate, required }: InputProps & PartProps & { field: FieldModel },
) {
  const id = useId();
  const variants = model.kind === "variants" ? model.variants : [];
  const [index, setIndex] = useState(() => variantOf(variants, value));
  const kinds = text.value.kinds as Readonly<Record<string, string>>;
  const variant = variants[index]!;
  return (
    <div class="console-variants">
      <label class="field" for={id}>
        <span>{text.value.kindOf(label)}</span>
        <select id={id} name={variantAt(name)} onChange={(event) => setIndex(Number(event.currentTarget.value))}>
          {variants.map(({ kind }, nth) => (
            <option key={nth} value={nth} selected={nth === index}>{kinds[kind] ?? kind}</option>
          ))}
        </select>
      </label>
      <Input
        key={index}
        {...{ name, label, hint, required, isUpdate }}
        field={{ ...field, model: variant }}
        value={index === variantOf(variants, value) ? value : undefined}
      />
    </div>
  );
}

/** A file that is sent when it is chosen; the form has its id. */
function Upload({ name, label, hint, control, value }: InputProps & {
  control: Extract<Control, { upload: unknown }>;
  value: string;
}) {
  const { id, error, attributes } = useField(name, hint);
  const [asset, setAsset] = useState(value);
  const file = useRef<File>(undefined);
  const { name: _, ...described } = attributes;
  const action = useAction(async () => {
    if (!file.current) return;
    setAsset(
      await client.upload(file.current, {
        file_name: file.current.name,
        category: control.upload,
        is_public: true,
      }),
    );
  });
  const chosen = useMemo(() => file.current && URL.createObjectURL(file.current), [asset]);
  const preview = chosen ?? control.pictures?.[asset];
  useEffect(() => () => chosen && URL.revokeObjectURL(chosen), [chosen]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input type="hidden" name={name} value={asset} />
      {preview && <img class="console-photo" src={preview} alt="" />}
      <input
        type="file"
        accept="image/*"
        {...described}
        aria-busy={action.isRunning}
        onChange={(event) => {
          file.current = event.currentTarget.files?.[0];
          void action.run();
        }}
      />
      {asset && !preview && <p class="small">{text.value.hasFile}</p>}
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}
