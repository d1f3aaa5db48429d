/** The head of the page: the lot, whether it is open, what others think, and what a user can do with it. */
import { useState } from "preact/hooks";
import { ApiError } from "parking-lot-client";
import { dateTime, number } from "../../format.ts";
import { toLocalInput } from "../../local_time.ts";
import { href, navigate, place } from "../../router.ts";
import { client } from "../../service.ts";
import { ActionButton, useAction } from "../../ui/load.tsx";
import { ErrorNote } from "../../ui/error_note.tsx";
import { whenSignedIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorReport } from "./error_report.tsx";
import type { LotProps } from "./lot.ts";
import { queryOf } from "./stay.ts";

const text = pageTexts(({ lot }) => lot.lotHead);

export function LotHead(props: LotProps) {
  const { lot } = props;
  const t = text.value;
  const name = lot.name ?? t.noName;
  const pictures = lot.images.filter(({ image_url }) => image_url !== null);
  return (
    <header class="lot-head">
      <h1>{name}</h1>
      {lot.address && <p class="lot-address">{lot.address}</p>}
      <LotStatus {...props} />
      <p>
        {lot.review_count > 0
          ? (
            <>
              <span aria-hidden="true">★</span> {t.stars(number(lot.avg_rating, 1), lot.review_count)}
            </>
          )
          : <span class="small">{t.noReviews}</span>}
      </p>
      {pictures.length > 0 && (
        <ul class="lot-pictures">
          {pictures.map(({ id, image_url }, index) => (
            <li key={id}>
              <img src={image_url!} alt={t.picture(index + 1, name)} loading="lazy" />
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <StartButton {...props} />
        <LotSaveButton {...props} />
        <RatingButtons {...props} />
        <ShareButton {...props} />
        {lot.lat !== null && lot.lng !== null && <a class="button" href={onMap(props)}>{t.onMap}</a>}
        <ErrorReport lot={lot} />
      </div>
    </header>
  );
}

/** The address of the map around the lot, for the same stay. */
function onMap({ lot, stay }: LotProps): string {
  return href("/", {
    lat: lot.lat,
    lng: lot.lng,
    entry: toLocalInput(stay.entryAt),
    exit: toLocalInput(stay.exitAt),
    vehicle_type: stay.vehicleType,
  });
}

/** Open, entry and exit, each with its next change. */
function LotStatus({ lot }: LotProps) {
  const t = text.value;
  const states = [
    { words: t.open, state: lot.derived.is_open_now, change: lot.next_change_at.is_open_now },
    { words: t.enter, state: lot.derived.can_enter_now, change: lot.next_change_at.can_enter_now },
    { words: t.exit, state: lot.derived.can_exit_now, change: lot.next_change_at.can_exit_now },
  ];
  return (
    <ul class="lot-status" aria-label={t.now}>
      {states.map(({ words, state, change }) => (
        <li key={words.true} class={`chip lot-is-${state}`}>
          <span aria-hidden="true">{state === null ? "?" : state ? "✓" : "×"}</span> {words[`${state}`]}
          {change && ` ${t.until(dateTime(change, lot.time_zone))}`}
        </li>
      ))}
    </ul>
  );
}

function StartButton({ lot, stay }: LotProps) {
  const t = text.value;
  const action = useAction(() =>
    whenSignedIn(async () => {
      await client.POST("/v1/parking-sessions", {
        body: { parking_lot_id: lot.id, vehicle_type: stay.vehicleType },
      });
      navigate("/session");
    })
  );
  const { error } = action;
  return (
    <>
      <button type="button" class="primary" aria-busy={action.isRunning} onClick={() => void action.run()}>
        {t.start}
      </button>
      {error !== undefined && (
        <div>
          <ErrorNote error={error} />
          {error instanceof ApiError && error.code === "concurrent_session_not_allowed" && (
            <p>
              <a href={href("/session")}>{t.running}</a>
            </p>
          )}
        </div>
      )}
    </>
  );
}

function LotSaveButton({ lot, reload }: LotProps) {
  const t = text.value;
  const isSaved = lot.is_saved === true;
  const change = async () => {
    if (isSaved) await client.DELETE("/v1/me/saved-parking-lots/{lotId}", { params: { path: { lotId: lot.id } } });
    else await client.POST("/v1/me/saved-parking-lots", { body: { parking_lot_id: lot.id } });
    reload();
  };
  return (
    <ActionButton isPressed={isSaved} perform={() => whenSignedIn(change)}>
      <span aria-hidden="true">{isSaved ? "♥" : "♡"}</span> {isSaved ? t.saved : t.save}
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
