/** What the lot is and has: tags, spots, operator, contact. */
import { label } from "../../codes.ts";
import { duration, number } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import type { Lot, LotProps } from "./lot.ts";

const text = pageTexts(({ lot }) => lot.factsSection);

export function FactsSection({ lot }: LotProps) {
  const t = text.value;
  // The service stores addresses of websites with http or https only.
  const website = lot.website && <a href={lot.website} target="_blank" rel="noopener noreferrer">{lot.website}</a>;
  const phone = lot.phone && <a href={`tel:${lot.phone}`}>{lot.phone}</a>;
  const facts = [
    [t.spaces, lot.total_spaces === null ? null : number(lot.total_spaces)],
    [t.structure, lot.structure && label("structure", lot.structure)],
    [t.entryMethod, lot.entry_method && label("entry_method", lot.entry_method)],
    [t.difficulty, lot.entry_difficulty && label("difficulty", lot.entry_difficulty)],
    [t.longest, lot.max_parking_duration_min === null ? null : duration(lot.max_parking_duration_min)],
    [t.operator, lot.operator?.name],
    [t.phone, phone],
    [t.website, website],
  ] as const;
  const known = facts.filter(([, value]) => Boolean(value));
  if (known.length === 0 && lot.tags.length === 0 && lot.spots.length === 0) return null;
  return (
    <section aria-labelledby="lot-facts">
      <h2 id="lot-facts">{t.title}</h2>
      <dl class="lot-facts">
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <LotTags lot={lot} />
      <LotSpots lot={lot} />
    </section>
  );
}

/** The tags that the lot has, does not have, and those that are uncertain. */
function LotTags({ lot }: { lot: Lot }) {
  const t = text.value;
  const groups = [
    { title: t.has, mark: "✓", state: true },
    { title: t.hasNot, mark: "×", state: false },
    { title: t.uncertain, mark: "?", state: null },
  ];
  return (
    <>
      {groups.map(({ title, mark, state }) => {
        const tags = lot.tags.filter((one) => one.state === state);
        return tags.length > 0 && (
          <div key={title}>
            <h3>{title}</h3>
            <ul class="lot-tags">
              {tags.map(({ tag_id, tag }) => (
                <li key={tag_id} class="chip">
                  <span aria-hidden="true">{mark}</span> {tag?.name ?? tag_id}
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </>
  );
}

function LotSpots({ lot }: { lot: Lot }) {
  const t = text.value;
  if (lot.spots.length === 0) return null;
  return (
    <details>
      <summary>{t.spots(lot.spots.length)}</summary>
      <ul>
        {lot.spots.map((spot) => (
          <li key={spot.id}>
            {[
              spot.code,
              spot.vehicle_type_max && t.upTo(label("vehicle_type", spot.vehicle_type_max)),
              spot.accessibility && label("accessibility", spot.accessibility),
              spot.is_ev_charger && t.charger,
              spot.ev_connector_type && label("ev_connector_type", spot.ev_connector_type),
              spot.is_reservable && t.reservable,
            ].filter(Boolean).join(", ")}
          </li>
        ))}
      </ul>
    </details>
  );
}
