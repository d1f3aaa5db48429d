/** Where the values of a lot come from, and how drivers voted on them. */
import { label } from "../../../../codes.ts";
import { date, number } from "../../../../format.ts";
import { type LotField, names, shownValue } from "../../../../lot_fields.ts";
import { href } from "../../../../router.ts";
import { consoleTexts } from "../../../../texts/console.ts";
import { Table } from "../../../kit/table.tsx";

const text = consoleTexts(({ provenance }) => provenance);

export function Provenance({ id }: { id: string }) {
  const t = text.value;
  return (
    <section>
      <h3>{t.title}</h3>
      <Table
        path="/v1/admin/field-values"
        query={{ parking_lot_id: id }}
        empty={t.empty}
        columns={[
          {
            head: t.field,
            cell: (value) => (
              <a href={href(`/console/field-values/${value.id}`, { parking_lot_id: id })}>
                {names.value[value.field_name as LotField] ?? value.field_name}
              </a>
            ),
          },
          {
            head: t.value,
            cell: ({ field_name, value }) =>
              typeof value === "object" && value !== null
                ? JSON.stringify(value)
                : shownValue(field_name as LotField, value),
          },
          { head: t.state, cell: ({ state }) => <span class="chip">{label("field_value_state", state)}</span> },
          {
            head: t.votes,
            cell: ({ confirm_count, deny_count }) => t.votesOf(number(confirm_count), number(deny_count)),
          },
          { head: t.source, cell: ({ source, licence }) => [source, licence].filter(Boolean).join(", ") },
          { head: t.verified, cell: ({ last_verified_at }) => last_verified_at && date(last_verified_at) },
        ]}
      />
    </section>
  );
}
