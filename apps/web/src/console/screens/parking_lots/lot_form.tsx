/// <reference lib="dom" />
/** The form of a lot's main fields. */
import { useRef, useState } from "preact/hooks";
import type { components, ResponseBody } from "parking-lot-client";
import { label } from "../../../codes.ts";
import { changeOf, choicesOf, isNumber, LOT_FIELDS, type LotField, names, shownValue } from "../../../lot_fields.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Field, Form, Select } from "../../../ui/form.tsx";
import { client } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, type FieldOf } from "../../kit/details.tsx";
import { type Entry, ifMatch } from "../../kit/entry.ts";

const text = consoleTexts(({ parkingLots }) => parkingLots);

type Lot = ResponseBody<"/v1/admin/parking-lots/{id}", "get">;
type Changes = components["schemas"]["ParkingLotChanges"];

function fields(): FieldOf<Lot>[] {
  return [
    { label: text.value.status, show: ({ status }) => label("parking_lot_status", status) },
    ...LOT_FIELDS.map((field) => ({ label: names.value[field], show: (lot: Lot) => shownValue(field, lot[field]) })),
  ];
}

const textOf = (value: unknown) => value === null || value === undefined ? "" : String(value);

/** The fields that differ from the version that was read. */
function changesOf(values: FormData, before: Lot): Changes {
  const status = String(values.get("status"));
  const changed = LOT_FIELDS.filter((field) => String(values.get(field) ?? "").trim() !== textOf(before[field]));
  return Object.assign(
    {},
    ...changed.map((field) => changeOf(field, String(values.get(field)))),
    status === before.status ? {} : { status },
  );
}

/** Sends the fields that the administrator changed. Other fields of a newer version stay as they are. */
export function LotForm({ entry, lot }: { entry: Entry<Lot>; lot: Lot }) {
  const t = text.value;
  const holder = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const save = async (values: FormData) => {
    const outcome = await entry.change((seen) =>
      client.PATCH("/v1/admin/parking-lots/{id}", {
        params: { path: { id: lot.id }, header: ifMatch(seen) },
        body: changesOf(values, seen.data),
      })
    );
    if (outcome !== "done") return;
    announcement.value = t.saved;
    entry.reload();
  };
  return (
    <div ref={holder}>
      {entry.before && (
        <ChangedNote before={entry.before} now={lot} fields={fields()}>
          <div class="row">
            <button type="button" onClick={() => holder.current!.querySelector("form")!.requestSubmit()}>
              {t.mine}
            </button>
            <button
              type="button"
              onClick={() => {
                setAttempt((n) => n + 1);
                entry.accept();
              }}
            >
              {t.newer}
            </button>
          </div>
        </ChangedNote>
      )}
      <Form key={attempt} class="form console-form console-wide" submit={t.save} onSubmit={save}>
        <Select
          name="status"
          label={t.status}
          options={[lot.status, ...lot.allowed_statuses].map((code) => [code, label("parking_lot_status", code)])}
          defaultValue={lot.status}
        />
        {LOT_FIELDS.map((field) => <LotInput key={field} field={field} lot={lot} />)}
      </Form>
    </div>
  );
}

function LotInput({ field, lot }: { field: LotField; lot: Lot }) {
  const choices = choicesOf(field);
  const common = { name: field, label: names.value[field], defaultValue: textOf(lot[field]) };
  if (choices) return <Select {...common} options={[["", "–"], ...choices]} />;
  return <Field {...common} inputMode={isNumber(field) ? "decimal" : "text"} />;
}
