/** Forms whose errors stand at the fields that the service names. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useId } from "preact/hooks";
import { ApiError } from "parking-lot-client";
import { ErrorNote } from "./error_note.tsx";
import { fieldText } from "./error_text.ts";
import { useAction } from "./load.tsx";
import { type Check, lengthCheck, validity } from "./validity.ts";

/** The sentences of the newest error, by the name of the field. */
const FieldErrors = createContext<ReadonlyMap<string, string>>(new Map());

function fieldErrors(error: unknown): Map<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  const listed = error.code === "validation_error" ? error.details?.errors ?? [] : [];
  const all = listed.length > 0 ? listed : [{ param: error.param, code: error.code, message: error.message }];
  return new Map(all.flatMap(({ param, code, message }) => param === null ? [] : [[param, fieldText(code, message)]]));
}

/** A form. `onSubmit` receives the values of its fields by their names; files and empty texts too. */
export function Form(
  { onSubmit, submit, children, class: kind }: {
    onSubmit: (values: FormData) => Promise<unknown>;
    /** The text of the button. */
    submit: string;
    children?: ComponentChildren;
    class?: string;
  },
) {
  let values: FormData;
  const action = useAction(() => onSubmit(values));
  const errors = fieldErrors(action.error);
  return (
    <form
      class={kind ?? "form"}
      onSubmit={(event) => {
        event.preventDefault();
        values = new FormData(event.currentTarget);
        void action.run();
      }}
    >
      <FieldErrors.Provider value={errors}>{children}</FieldErrors.Provider>
      {action.error !== undefined && <ErrorNote error={action.error} onSignedIn={() => void action.run()} />}
      <button type="submit" class="primary" aria-busy={action.isRunning}>{submit}</button>
    </form>
  );
}

interface Labelled {
  /** The field of the request, so that the service's error finds it. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly required?: boolean | undefined;
}

export interface FieldProps extends Labelled {
  readonly type?:
    | "text"
    | "email"
    | "password"
    | "number"
    | "search"
    | "url"
    | "date"
    | "datetime-local"
    | "time"
    | "file";
  /** The value at first; the field keeps what a user enters. */
  readonly defaultValue?: string | number | undefined;
  readonly autocomplete?: AutoFill;
  readonly inputMode?: "numeric" | "decimal" | "text";
  readonly pattern?: string;
  readonly placeholder?: string;
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** What is checked of the value, by default `maxLength`. */
  readonly check?: Check;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly step?: number | "any";
  readonly onInput?: (value: string) => void;
}

/** A labelled input with its error. */
export function Field(
  { name, label, hint, maxLength, check = lengthCheck(maxLength), onInput, ...input }: FieldProps,
) {
  const { id, error, attributes } = useField(name, hint);
  const checked = validity(check);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* Preact's types want one literal type for each input. */}
      <input
        {...(input as { type?: "text" })}
        {...attributes}
        ref={checked.ref}
        onInput={(event) => {
          checked.onInput(event);
          onInput?.(event.currentTarget.value);
        }}
      />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

export interface SelectProps extends Labelled {
  readonly options: readonly (readonly [value: string, text: string])[];
  /** The words of no choice, where nothing is chosen at first. */
  readonly placeholder?: string;
  readonly defaultValue?: string | undefined;
  readonly onChange?: (value: string) => void;
}

/** A labelled list of choices. */
export function Select(
  { name, label, hint, options, placeholder, onChange, defaultValue, required = false }: SelectProps,
) {
  const { id, error, attributes } = useField(name, hint);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select {...attributes} required={required} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {placeholder !== undefined && <option value="" selected={defaultValue === undefined}>{placeholder}</option>}
        {options.map(([value, text]) => (
          <option key={value} value={value} selected={value === defaultValue}>{text}</option>
        ))}
      </select>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

export interface TextAreaProps extends Labelled {
  readonly defaultValue?: string | undefined;
  readonly rows?: number;
  readonly maxLength?: number;
}

/** A labelled text of several lines. */
export function TextArea({ name, label, hint, maxLength, ...area }: TextAreaProps) {
  const { id, error, attributes } = useField(name, hint);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea {...area} {...attributes} {...validity(lengthCheck(maxLength))} />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

/** A labelled checkbox. */
export function Checkbox(
  { name, label, defaultChecked = false, onChange }: {
    name: string;
    label: string;
    defaultChecked?: boolean;
    onChange?: (isChecked: boolean) => void;
  },
) {
  const { id, error, attributes } = useField(name, undefined);
  return (
    <div class="field">
      <div class="row">
        <input
          type="checkbox"
          value="true"
          defaultChecked={defaultChecked}
          onChange={(event) => onChange?.(event.currentTarget.checked)}
          {...attributes}
        />
        <label for={id}>{label}</label>
      </div>
      <Notes id={id} hint={undefined} error={error} />
    </div>
  );
}

/** The attributes of an input, and the error that the service has for it. */
export function useField(name: string, hint: string | undefined) {
  const id = useId();
  const error = useContext(FieldErrors).get(name);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const attributes = {
    id,
    name,
    ...(error === undefined ? {} : { "aria-invalid": true }),
    ...(described ? { "aria-describedby": described } : {}),
  };
  return { id, error, attributes };
}

/** The hint and the error of a field. */
export function Notes({ id, hint, error }: { id: string; hint: string | undefined; error: string | undefined }) {
  return (
    <>
      {hint && <p class="small" id={`${id}-hint`}>{hint}</p>}
      {error && <p class="small wrong" id={`${id}-error`}>{error}</p>}
    </>
  );
}
