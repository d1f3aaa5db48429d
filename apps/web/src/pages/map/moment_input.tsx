/** A day and a time of day as two lists, in the words and the order of the reader's language. */
import { useId } from "preact/hooks";
import { dayAfter, toLocalInput } from "../../local_time.ts";
import { pageTexts } from "../../texts/pages.ts";
import { dayText } from "./stay_text.ts";

const text = pageTexts(({ map }) => map.momentInput);

const DAYS = 60;
const STEP_MIN = 15;

export interface MomentInputProps {
  readonly label: string;
  /** As of `<input type="datetime-local">`. */
  readonly value: string;
  readonly timeZone: string;
  readonly onChange: (value: string) => void;
}

export function MomentInput({ label, value, timeZone, onChange }: MomentInputProps) {
  const t = text.value;
  const id = useId();
  const [day = "", time = ""] = value.split("T");
  return (
    <div class="moment" role="group" aria-labelledby={id}>
      <span class="moment-label" id={id}>{label}</span>
      <Choice
        label={`${label}: ${t.day}`}
        value={day}
        options={withValue(days(timeZone), day)}
        nameOf={(day) => dayText(day, timeZone)}
        onChange={(day) => onChange(`${day}T${time}`)}
      />
      <Choice
        label={`${label}: ${t.time}`}
        value={time}
        options={withValue(TIMES, time)}
        nameOf={(time) => time}
        onChange={(time) => onChange(`${day}T${time}`)}
      />
    </div>
  );
}

interface ChoiceProps extends Omit<MomentInputProps, "timeZone"> {
  readonly options: readonly string[];
  readonly nameOf: (option: string) => string;
}

function Choice({ label, value, options, nameOf, onChange }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map((option) => <option key={option} value={option}>{nameOf(option)}</option>)}
    </select>
  );
}

/** The days from today on. */
function days(timeZone: string): string[] {
  const now = toLocalInput(new Date(), timeZone);
  return Array.from({ length: DAYS }, (_, day) => dayAfter(now, day));
}

const TIMES = Array.from({ length: 24 * 60 / STEP_MIN }, (_, step) => {
  const minutes = step * STEP_MIN;
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
});

/** The list with the present value at its place. */
function withValue(list: readonly string[], value: string): readonly string[] {
  return list.includes(value) ? list : [...list, value].sort();
}
