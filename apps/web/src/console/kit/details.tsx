/** One entry as a list of its fields, and the difference of two versions of it. */
import type { ComponentChildren } from "preact";
import { consoleTexts } from "../../texts/console.ts";

const text = consoleTexts(({ kit }) => kit.details);

export interface FieldOf<Data> {
  readonly label: string;
  readonly show: (data: Data) => ComponentChildren;
  /** What decides whether two versions differ, if that is not what is shown. */
  readonly value?: (data: Data) => unknown;
}

const isEmpty = (shown: ComponentChildren) => shown === null || shown === undefined || shown === "";

export function Details<Data>({ data, fields }: { data: Data; fields: readonly FieldOf<Data>[] }) {
  return (
    <dl class="console-details">
      {fields.map(({ label, show }) => {
        const shown = show(data);
        return (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{isEmpty(shown) ? text.value.none : shown}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** What another administrator changed between the version that this one had read and the newer one. */
export function ChangedNote<Data>(
  { before, now, fields, children }: {
    before: Data;
    now: Data;
    fields: readonly FieldOf<Data>[];
    /** The ways to continue. */
    children?: ComponentChildren;
  },
) {
  const t = text.value;
  const valueOf = ({ value, show }: FieldOf<Data>, data: Data) => JSON.stringify((value ?? show)(data));
  const changed = fields.filter((field) => valueOf(field, before) !== valueOf(field, now));
  return (
    <div class="notice error console-changed" role="alert">
      <h3>{t.changed}</h3>
      <p>{t.notDone}</p>
      {changed.length === 0 ? <p>{t.elsewhere}</p> : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t.field}</th>
              <th scope="col">{t.before}</th>
              <th scope="col">{t.now}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ label, show }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{show(before) ?? t.none}</td>
                <td>{show(now) ?? t.none}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {children}
    </div>
  );
}
