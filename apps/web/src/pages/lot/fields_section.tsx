/** Where the data come from, field by field, with the votes of users on each value. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { label } from "../../codes.ts";
import { date, number } from "../../format.ts";
import { client } from "../../service.ts";
import { ActionButton } from "../../ui/load.tsx";
import { whenSignedIn } from "../../sign_in.ts";
import { LOT_FIELDS, type LotField, names, shownValue } from "../../lot_fields.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot, LotProps } from "./lot.ts";

type FieldValue = components["schemas"]["FieldValue"];
type Field = NonNullable<Lot["field_provenance"]>[string];
type Vote = "confirm" | "deny";

const text = pageTexts(({ lot }) => lot.fieldsSection);

const nameOf = (field: string) => names.value[field as LotField] ?? text.value.names[field] ?? field;

export function FieldsSection(props: LotProps) {
  const t = text.value;
  const { lot } = props;
  const order = (field: string) => LOT_FIELDS.findIndex((known) => known === field);
  const fields = Object.entries(lot.field_provenance ?? {}).sort(([a], [b]) => order(a) - order(b));
  return (
    <section aria-labelledby="lot-fields">
      <h2 id="lot-fields">{t.title}</h2>
      <DataOrigin lot={lot} />
      <details>
        <summary>{t.votes}</summary>
        {fields.length === 0 && <p class="notice">{t.none}</p>}
        <ul class="list lot-fields">
          {fields.map(([name, field]) => <FieldRow key={field.field_value_id} name={name} field={field} {...props} />)}
        </ul>
      </details>
    </section>
  );
}

function DataOrigin({ lot }: { lot: Lot }) {
  const t = text.value;
  const { source, licence, attribution, source_url } = lot.provenance;
  return (
    <p>
      {[
        attribution,
        source && `${t.source}: ${source}`,
        licence && `${t.licence}: ${licence}`,
      ].filter(Boolean).join(". ")}{" "}
      {source_url && <a href={source_url} target="_blank" rel="noopener noreferrer">{t.original}</a>}
    </p>
  );
}

function FieldRow({ name, field, lot, reload }: LotProps & { name: string; field: Field }) {
  const t = text.value;
  const [voted, setVoted] = useState<FieldValue>();
  const fieldName = nameOf(name);
  const vote = (value: Vote) =>
    whenSignedIn(async () => {
      const params = { path: { id: lot.id, fieldValueId: field.field_value_id } };
      const { data } = value === "confirm"
        ? await client.POST("/v1/parking-lots/{id}/field-values/{fieldValueId}/confirm", { params })
        : await client.POST("/v1/parking-lots/{id}/field-values/{fieldValueId}/deny", { params });
      setVoted(data);
      reload();
    });
  const about = [
    label("field_value_state", field.state),
    field.source,
    field.licence,
    field.last_verified_at && t.verified(date(field.last_verified_at, lot.time_zone)),
  ];
  return (
    <li class="card">
      <div>
        <strong>{fieldName}</strong> {valueOf(lot, name)}
        <p class="small">{about.filter(Boolean).join(", ")}</p>
      </div>
      <div class="row" role="group" aria-label={fieldName}>
        <ActionButton isPressed={field.my_vote === "confirm"} perform={() => vote("confirm")}>
          {t.confirm} {number(field.confirm_count)}
        </ActionButton>
        <ActionButton isPressed={field.my_vote === "deny"} perform={() => vote("deny")}>
          {t.deny} {number(field.deny_count)}
        </ActionButton>
      </div>
      <div role="status" class="small">
        {field.my_vote && `${t.yours}: ${label("field_value_vote", field.my_vote)}. `}
        {voted?.my_vote_counts === false && t.waits}
      </div>
    </li>
  );
}

/** The value of a field as the page shows it. */
function valueOf(lot: Lot, name: string): string {
  if (name === "operator_code" && lot.operator) return lot.operator.name;
  if (name === "shape_type" && lot.shape_type) return label("shape_type", lot.shape_type);
  return shownValue(name as LotField, lot[name as LotField]);
}
