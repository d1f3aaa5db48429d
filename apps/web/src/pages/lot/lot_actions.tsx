/** What a user can do with the lot beside parking: save, rate, share, find it on the map, report an error. */
import { useState } from "preact/hooks";
import { toLocalInput } from "../../local_time.ts";
import { deliver } from "../../outbox.ts";
import { href, place } from "../../router.ts";
import { client } from "../../service.ts";
import { whenSignedIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ActionButton } from "../../ui/load.tsx";
import { ErrorReport } from "./error_report.tsx";
import type { LotProps } from "./lot.ts";
import { queryOf } from "./stay.ts";

const text = pageTexts(({ lot }) => lot.lotActions);

export function LotActions(props: LotProps) {
  const { lot } = props;
  const t = text.value;
  return (
    <section aria-labelledby="lot-actions">
      <h2 id="lot-actions">{t.title}</h2>
      <div class="row">
        <LotSaveButton {...props} />
        <RatingButtons {...props} />
        <ShareButton {...props} />
        {lot.lat !== null && lot.lng !== null && <a class="button" href={onMap(props)}>{t.onMap}</a>}
        <ErrorReport lot={lot} />
      </div>
    </section>
  );
}

/** The address of the map around the lot, for the same stay by the clocks of the lot. */
function onMap({ lot, stay }: LotProps): string {
  return href("/", {
    lat: lot.lat,
    lng: lot.lng,
    entry: toLocalInput(stay.entryAt, lot.time_zone),
    exit: toLocalInput(stay.exitAt, lot.time_zone),
    vehicle_type: stay.vehicleType,
  });
}

/** Saves the lot, or removes it from the saved ones. */
export async function changeSaved({ lot, reload }: Pick<LotProps, "lot" | "reload">): Promise<void> {
  if (lot.is_saved === true) {
    const params = { path: { lotId: lot.id } };
    await deliver("saved_lot", (keyed) => client.DELETE("/v1/me/saved-parking-lots/{lotId}", { params, ...keyed }));
  } else {
    const body = { parking_lot_id: lot.id };
    await deliver("saved_lot", (keyed) => client.POST("/v1/me/saved-parking-lots", { body, ...keyed }));
  }
  reload();
}

function LotSaveButton(props: LotProps) {
  const t = text.value;
  const isSaved = props.lot.is_saved === true;
  return (
    <ActionButton isPressed={isSaved} perform={() => whenSignedIn(() => changeSaved(props))}>
      {isSaved ? t.saved : t.save}
    </ActionButton>
  );
}

/** Good or bad. The same button again removes the rating. */
function RatingButtons({ lot, reload }: LotProps) {
  const t = text.value;
  const path = { params: { path: { id: lot.id } } };
  const rate = (value: "good" | "bad") =>
    whenSignedIn(async () => {
      if (lot.my_rating === value) await client.DELETE("/v1/parking-lots/{id}/rating", path);
      else await client.PUT("/v1/parking-lots/{id}/rating", { ...path, body: { value } });
      reload();
    });
  return (
    <div class="row" role="group" aria-label={t.rating}>
      <ActionButton isPressed={lot.my_rating === "good"} perform={() => rate("good")}>
        {t.good} {lot.good_count}
      </ActionButton>
      <ActionButton isPressed={lot.my_rating === "bad"} perform={() => rate("bad")}>
        {t.bad} {lot.bad_count}
      </ActionButton>
    </div>
  );
}

/** Copies the address of the page with the stay that it shows. */
function ShareButton({ stay }: LotProps) {
  const t = text.value;
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    const address = new URL(href(place.value.path, queryOf(stay)), location.href);
    await navigator.clipboard.writeText(address.href);
    setIsCopied(true);
  };
  return (
    <>
      <ActionButton perform={copy}>{t.share}</ActionButton>
      <span class="small" role="status">{isCopied && t.copied}</span>
    </>
  );
}
