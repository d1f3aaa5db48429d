/** A parking lot: my fee first, then whether the vehicle fits, how the fee is computed, the week, and what users say. */
import { useEffect, useState } from "preact/hooks";
import { type PageProps, usePageAction } from "../../page.ts";
import { language } from "../../language.ts";
import { href, place, replaceQuery } from "../../router.ts";
import { isSignedIn } from "../../service.ts";
import { whenSignedIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { readVehicles } from "../../vehicles.ts";
import { FactsSection } from "./facts_section.tsx";
import { FeeSection } from "./fee_section.tsx";
import { FieldsSection } from "./fields_section.tsx";
import { FitSection } from "./fit_section.tsx";
import { Hero } from "./hero.tsx";
import { useKeptStay } from "./kept_stay.ts";
import { type Lot, type LotProps, readLot } from "./lot.ts";
import { changeSaved, LotActions } from "./lot_actions.tsx";
import { OccupancySection } from "./occupancy_section.tsx";
import { reading } from "./reading.ts";
import { ReviewSection } from "./review_section.tsx";
import { StateLine } from "./state_line.tsx";
import { nextHour, queryOf, stayOf, vehicleFrom } from "./stay.ts";
import { StayBlock } from "./stay_block.tsx";
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
  useOwnVehicle();
  useKeptStay(id, load.error);
  const parts = { stay, reload: load.reload };
  return (
    <article class="lot">
      {(load.data === undefined || load.error !== undefined) && <h1>{text.value.title}</h1>}
      <Loaded load={load}>
        {(lot) => (
          <>
            <SaveAction lot={lot} {...parts} />
            <div class="lot-main">
              <Hero lot={lot} {...parts} />
              <header class="lot-head">
                <h1 class="shown">{lot.name ?? text.value.noName}</h1>
                {language.value === "en" && lot.name_kana && <p class="lot-reading">{reading(lot.name_kana)}</p>}
                {lot.address && <p class="lot-address">{lot.address}</p>}
                <StateLine lot={lot} {...parts} />
              </header>
              <StayBlock lot={lot} {...parts} />
              <FitSection lot={lot} {...parts} />
              <FeeSection lot={lot} {...parts} />
            </div>
            <div class="lot-more">
              <WeekSection lot={lot} {...parts} />
              <OccupancySection lot={lot} {...parts} />
              <FactsSection lot={lot} {...parts} />
              <ReviewSection lot={lot} {...parts} />
              <LotActions lot={lot} {...parts} />
              <FieldsSection lot={lot} {...parts} />
            </div>
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

/** The action of the header on a phone. */
function SaveAction(props: LotProps) {
  const t = text.value;
  const isSaved = props.lot.is_saved === true;
  usePageAction({
    label: isSaved ? t.saved : t.save,
    isPressed: isSaved,
    perform: () => whenSignedIn(() => changeSaved(props)),
  });
  return null;
}

/** An address without a vehicle gets the user's default one. */
function useOwnVehicle(): void {
  useEffect(() => {
    const hasVehicle = () => place.peek().query.has("vehicle") || place.peek().query.has("vehicle_type");
    if (!isSignedIn.value || hasVehicle()) return;
    const abort = new AbortController();
    readVehicles(abort.signal).then((vehicles) => {
      const own = vehicles.find(({ is_default }) => is_default);
      if (own === undefined || hasVehicle() || abort.signal.aborted) return;
      const { query } = place.peek();
      const vehicle = { vehicleType: own.vehicle_type, vehicle: vehicleFrom(own) };
      const { vehicle_type, vehicle: sizes } = queryOf({ entryAt: "", exitAt: "", ...vehicle });
      replaceQuery({ ...Object.fromEntries(query), vehicle_type, vehicle: sizes });
    }).catch((error: unknown) => abort.signal.aborted || console.warn("The vehicles could not be read.", error));
    return () => abort.abort();
  }, [isSignedIn.value]);
}
