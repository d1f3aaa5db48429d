/// <reference lib="dom" />
/** Filters of a list. They are in the address, so that a filtered list has a link. */
import { place, replaceQuery } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";

const text = consoleTexts(({ kit }) => kit.filters);

export interface Filter {
  /** The name of the query parameter. */
  readonly name: string;
  readonly label: string;
  /** The values to choose from; without them it is a text. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly type?: "search" | "date";
  /** The parameter of the request, if that is not the value of the field. */
  readonly toQuery?: (value: string) => string;
  /** Shown only if the address has a value: a link of another screen set it. */
  readonly isFromLink?: boolean;
  /** What the list shows without this filter, if that is not everything. */
  readonly without?: string;
}

/** The values of the filters in the address. */
export function filterValues(filters: readonly Filter[]): Record<string, string> {
  const { query } = place.value;
  return Object.fromEntries(filters.flatMap(({ name, toQuery = String }) => {
    const value = query.get(name);
    return value ? [[name, toQuery(value)]] : [];
  }));
}

export function Filters({ filters }: { filters: readonly Filter[] }) {
  if (filters.length === 0) return null;
  const set = (name: string, value: string) =>
    replaceQuery({ ...Object.fromEntries(place.value.query), [name]: value.trim() });
  return (
    <form
      class="console-filters"
      role="search"
      aria-label={text.value.filters}
      onSubmit={(e) => e.preventDefault()}
    >
      {filters.filter(({ name, isFromLink }) => !isFromLink || place.value.query.has(name)).map(
        ({ name, label, options, type = "search", without = text.value.all }) => {
          const value = place.value.query.get(name) ?? "";
          const onChange = (event: Event & { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
            set(name, event.currentTarget.value);
          return (
            <label key={name}>
              <span>{label}</span>
              {options
                ? (
                  <select value={value} onChange={onChange}>
                    <option value="">{without}</option>
                    {options.map(([value, label]) => <option key={value} value={value}>{label}</option>)}
                  </select>
                )
                : <input type={type as "search"} value={value} onChange={onChange} />}
            </label>
          );
        },
      )}
    </form>
  );
}
