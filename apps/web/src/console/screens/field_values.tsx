/** Values of lots on which users voted: an administrator confirms or retires a value. */
import type { components, ListItem } from "parking-lot-client";
import type { PageProps } from "../../page.ts";
import { label, options } from "../../codes.ts";
import { dateTime, number } from "../../format.ts";
import { Loaded } from "../../ui/load.tsx";
import { client } from "../kit/access.ts";
import { type Choice, Decision } from "../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../kit/details.tsx";
import { ifMatch, useEntry } from "../kit/entry.ts";
import { LotLink } from "../kit/links.tsx";
import { type LotField, names, shownValue } from "../../lot_fields.ts";
import { consoleTexts } from "../../texts/console.ts";
import { Queue } from "../kit/queue.tsx";

type Value = ListItem<"/v1/admin/field-values">;
type State = components["schemas"]["FieldValueDecision"]["state"];

const text = consoleTexts(({ fieldValues }) => fieldValues);

const nameOf = ({ field_name }: Value) => names.value[field_name as LotField] ?? field_name;

function valueOf({ field_name, value }: Value): string {
  return typeof value === "object" && value !== null
    ? JSON.stringify(value)
    : shownValue(field_name as LotField, value);
}

export function FieldValuesScreen({ parts }: PageProps) {
  const t = text.value;
  return (
    <Queue
      path="/v1/admin/field-values"
      screen="/console/field-values"
      id={parts[0]}
      empty={t.empty}
      filters={[
        { name: "state", label: t.state, options: options("field_value_state") },
        { name: "parking_lot_id", label: t.lotId, isFromLink: true },
      ]}
      line={(value) => (
        <>
          <span class="row">
            <strong>{value.parking_lot_name}</strong>
            <span class="chip">{label("field_value_state", value.state)}</span>
          </span>
          <span>{nameOf(value)}: {valueOf(value)}</span>
          <span class="small">{text.value.votesOf(number(value.confirm_count), number(value.deny_count))}</span>
        </>
      )}
      detail={(id, decided) => <FieldValueDetail id={id} decided={decided} />}
    />
  );
}

function fields(): FieldOf<Value>[] {
  const t = text.value;
  return [
    {
      label: t.lot,
      show: ({ parking_lot_id, parking_lot_name }) => <LotLink id={parking_lot_id} name={parking_lot_name} />,
      value: ({ parking_lot_id }) => parking_lot_id,
    },
    { label: t.field, show: nameOf },
    { label: t.value, show: valueOf },
    { label: t.state, show: ({ state }) => label("field_value_state", state) },
    { label: t.votes, show: ({ confirm_count, deny_count }) => t.votesOf(number(confirm_count), number(deny_count)) },
    { label: t.source, show: ({ source }) => source },
    { label: t.licence, show: ({ licence }) => licence },
    { label: t.verified, show: ({ last_verified_at }) => last_verified_at && dateTime(last_verified_at) },
    { label: t.decided, show: ({ decided_at }) => decided_at && dateTime(decided_at) },
    { label: t.edited, show: ({ updated_at }) => dateTime(updated_at) },
  ];
}

function FieldValueDetail({ id, decided }: { id: string; decided: (sentence: string) => void }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/field-values/{id}", { params: { path }, signal }), [id]);
  const choice = (state: State): Choice => ({
    name: t.actions[state],
    kind: state === "confirmed" ? "primary" : "danger",
    perform: async (reason) => {
      const outcome = await entry.change((seen) =>
        client.PATCH("/v1/admin/field-values/{id}", {
          params: { path, header: ifMatch(seen) },
          body: { state, ...(reason === null ? {} : { reason }) },
        })
      );
      if (outcome === "done") decided(t.done[state]);
    },
  });
  return (
    <Loaded load={entry}>
      {({ data: value }) => (
        <>
          <h2>{nameOf(value)}: {valueOf(value)}</h2>
          {entry.before && <ChangedNote before={entry.before} now={value} fields={fields()} />}
          <Details data={value} fields={fields()} />
          {value.allowed_states.length > 0 && (
            <Decision
              reason={t.reason}
              hint={t.reasonHint}
              choices={value.allowed_states.map(choice)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
