/** A parking lot: what it costs, when it is open, whether a vehicle fits, how full it is, and what users say about it. */
import { useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { language } from "../../language.ts";
import { href, place } from "../../router.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { FactsSection } from "./facts_section.tsx";
import { FeeSection } from "./fee_section.tsx";
import { FieldsSection } from "./fields_section.tsx";
import { type Lot, readLot } from "./lot.ts";
import { LotHead } from "./lot_head.tsx";
import { OccupancySection } from "./occupancy_section.tsx";
import { ReviewSection } from "./review_section.tsx";
import { nextHour, stayOf } from "./stay.ts";
import { VehicleSection } from "./vehicle_section.tsx";
import { WeekSection } from "./week_section.tsx";

const text = pageTexts(({ lot }) => lot.lotPage);

export function LotPage({ parts }: PageProps) {
  const [id = ""] = parts;
  return <LoadedLot key={id} id={id} />;
}

function LoadedLot({ id }: { id: string }) {
  const [atFirst] = useState(() => nextHour(new Date()));
  const { query } = place.value;
  const stay = stayOf(query, atFirst);
  const load = useLoad<Lot>(
    (signal) => readLot(id, stay, language.value, signal),
    [id, query.toString(), language.value],
  );
  const parts = { stay, reload: load.reload };
  return (
    <article class="lot">
      {(load.data === undefined || load.error !== undefined) && <h1>{text.value.title}</h1>}
      <Loaded load={load}>
        {(lot) => (
          <>
            <LotHead lot={lot} {...parts} />
            <FeeSection lot={lot} {...parts} />
            <WeekSection lot={lot} {...parts} />
            <OccupancySection lot={lot} {...parts} />
            <VehicleSection lot={lot} {...parts} />
            <FactsSection lot={lot} {...parts} />
            <ReviewSection lot={lot} {...parts} />
            <FieldsSection lot={lot} {...parts} />
          </>
        )}
      </Loaded>
      {load.error !== undefined && query.size > 0 && (
        <p>
          <a href={href(place.value.path)}>{text.value.withoutStay}</a>
        </p>
      )}
    </article>
  );
}
