/// <reference lib="dom" />
/** The conditions of a badge, built by choices, with the number of users who would have it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ResponseBody } from "parking-lot-client";
import { label } from "../../../codes.ts";
import { number, weekdayName } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ErrorNote } from "../../../ui/error_note.tsx";
import { addStyle } from "../../../ui/style.ts";
import { client } from "../../kit/access.ts";
import type { EditorProps } from "../../kit/schema_form.tsx";
import style from "./badge.css" with { type: "text" };
import {
  type Conditions,
  KINDS,
  MEASURES,
  newRule,
  type Operator,
  OPERATORS,
  readConditions,
  type Rule,
  writeConditions,
} from "./badge_rules.ts";

addStyle(style);

const text = consoleTexts(({ reference }) => reference.badgeBuilder);

/** After the last change of a field the users are counted. */
const PAUSE_MS = 500;

export function BadgeBuilder({ name, legend, value }: EditorProps) {
  const t = text.value;
  const [conditions, setConditions] = useState(() => readConditions(value));
  const { activity, measure, join, rules, other } = conditions;
  const set = (changes: Partial<Conditions>) => setConditions({ ...conditions, ...changes });
  const written = JSON.stringify(writeConditions(conditions));
  const kinds = t.kinds as Readonly<Record<string, string>>;
  return (
    <fieldset class="console-part badge-builder">
      <legend>{legend}</legend>
      <input type="hidden" name={name} value={written} />
      <fieldset>
        <legend>{t.activity}</legend>
        <div class="console-checks">
          {KINDS.map((kind) => (
            <label key={kind} class="row">
              <input
                type="checkbox"
                checked={activity.includes(kind)}
                onChange={(event) =>
                  set({
                    activity: event.currentTarget.checked
                      ? [...activity, kind]
                      : activity.filter((other) => other !== kind),
                  })}
              />
              {kinds[kind] ?? label("user_activity", kind)}
            </label>
          ))}
        </div>
      </fieldset>
      <label class="field">
        <span>{t.measure}</span>
        <select value={measure} onChange={(event) => set({ measure: event.currentTarget.value })}>
          {MEASURES.map((code) => <option key={code} value={code}>{t.measures[code]}</option>)}
        </select>
      </label>
      {other
        ? (
          <>
            <p class="small">{t.other}</p>
            <pre>{JSON.stringify(other, null, 2)}</pre>
            <p>
              <button type="button" onClick={() => setConditions({ ...readConditions({ activity, measure }) })}>
                {t.drop}
              </button>
            </p>
          </>
        )
        : (
          <>
            {rules.length > 1 && (
              <label class="field">
                <span>{t.join}</span>
                <select value={join} onChange={(event) => set({ join: event.currentTarget.value as "all" | "any" })}>
                  <option value="all">{t.joins.all}</option>
                  <option value="any">{t.joins.any}</option>
                </select>
              </label>
            )}
            {rules.map((rule, index) => (
              <RuleRow
                key={index}
                rule={rule}
                nth={index + 1}
                onChange={(next) => set({ rules: next ? rules.with(index, next) : rules.toSpliced(index, 1) })}
              />
            ))}
            <div class="row">
              <span class="small">{t.onlyIf}</span>
              {OPERATORS.map((operator) => (
                <button
                  key={operator}
                  type="button"
                  onClick={() => set({ rules: [...rules, newRule(operator)] })}
                >
                  {t.operators[operator]}
                </button>
              ))}
            </div>
          </>
        )}
      <Audience written={written} />
    </fieldset>
  );
}

function RuleRow({ rule, nth, onChange }: {
  rule: Rule;
  nth: number;
  /** Undefined: without the row. */
  onChange: (rule: Rule | undefined) => void;
}) {
  const t = text.value;
  const { operator, isNot, value } = rule;
  return (
    <div class="row badge-rule" role="group" aria-label={t.rule(nth)}>
      <select
        aria-label={t.rule(nth)}
        value={isNot ? "not" : ""}
        onChange={(event) => onChange({ ...rule, isNot: event.currentTarget.value === "not" })}
      >
        <option value="">{t.is}</option>
        <option value="not">{t.isNot}</option>
      </select>
      <span>{t.operators[operator]}</span>
      <Argument operator={operator} value={value} onChange={(value) => onChange({ ...rule, value })} />
      <button type="button" class="quiet" aria-label={t.remove(nth)} onClick={() => onChange(undefined)}>×</button>
    </div>
  );
}

interface ArgumentProps {
  readonly operator: Operator;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Argument({ operator, value, onChange }: ArgumentProps) {
  const t = text.value;
  if (operator === "weekdays") {
    const days = Array.isArray(value) ? value.map(Number) : [];
    return (
      <>
        {[0, 1, 2, 3, 4, 5, 6].map((day) => (
          <label key={day} class="row">
            <input
              type="checkbox"
              checked={days.includes(day)}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? [...days, day].sort() : days.filter((other) => other !== day))}
            />
            {weekdayName(day)}
          </label>
        ))}
      </>
    );
  }
  const fields = Object(value) as Readonly<Record<string, string | number | boolean>>;
  const input = (field: string, label: string, type: "number" | "date" | "text", max?: number) => (
    <label class="row">
      <span class="small">{label}</span>
      <input
        type={type as "text"}
        value={String(fields[field] ?? "")}
        {...(max === undefined ? {} : { min: 0, max })}
        onInput={(event) => {
          const entered = event.currentTarget.value;
          onChange({ ...fields, [field]: type === "number" ? Number(entered) : entered });
        }}
      />
    </label>
  );
  if (operator === "hours") {
    return (
      <>
        {input("from", t.from, "number", 23)}
        {input("to", t.to, "number", 24)}
      </>
    );
  }
  if (operator === "dates") {
    return (
      <>
        {input("from", t.from, "date")}
        {input("to", t.to, "date")}
      </>
    );
  }
  const isNumber = operator !== "equals" || typeof fields["value"] === "number";
  return (
    <>
      {input("field", t.field, "text")}
      {input("value", t.value, isNumber ? "number" : "text")}
    </>
  );
}

/** How many users would have the badge with what the form has now. */
function Audience({ written }: { written: string }) {
  const t = text.value;
  const holder = useRef<HTMLParagraphElement>(null);
  const [threshold, setThreshold] = useState(0);
  const [found, setFound] = useState<ResponseBody<"/v1/admin/badges/preview", "post">>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const form = holder.current!.closest("form")!;
    const read = () =>
      setThreshold(Number((form.elements.namedItem("threshold") as HTMLInputElement | null)?.value ?? 0));
    read();
    form.addEventListener("input", read);
    return () => form.removeEventListener("input", read);
  }, []);
  useEffect(() => {
    const conditions = JSON.parse(written) as { activity: string[] };
    setFound(undefined);
    setError(undefined);
    if (conditions.activity.length === 0 || threshold < 1) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      client.POST("/v1/admin/badges/preview", { body: { conditions, threshold }, signal: abort.signal }).then(
        ({ data }) => setFound(data),
        (failure) => abort.signal.aborted || setError(failure),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [written, threshold]);
  return (
    <>
      <p ref={holder} role="status">
        <strong>{found && (found.is_exact ? t.users : t.aboutUsers)(number(found.users))}</strong>
      </p>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
