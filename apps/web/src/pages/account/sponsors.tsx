/** Sponsors: all of them or those near the driver, and the check-in at one. */
import { useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { distance } from "../../format.ts";
import { readExactPosition } from "../../position.ts";
import { client } from "../../service.ts";
import { whenSignedIn } from "../../sign_in.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ActionButton, Loaded, useLoad } from "../../ui/load.tsx";

type Sponsor = components["schemas"]["Sponsor"] & { readonly distance_m?: number };

const text = pageTexts(({ account }) => account.sponsors);

export function Sponsors() {
  const t = text.value;
  const [place, setPlace] = useState<{ readonly lat: number; readonly lng: number }>();
  const load = useLoad<readonly Sponsor[]>(async (signal) => {
    if (place === undefined) {
      return (await client.GET("/v1/sponsors", { params: { query: { limit: 100 } }, signal })).data.items;
    }
    const query = { ...place, radius_m: 5_000 };
    return (await client.GET("/v1/sponsors/nearby", { params: { query }, signal })).data;
  }, [place?.lat, place?.lng]);
  const findNear = async () => {
    const { lat, lng } = await readExactPosition();
    setPlace({ lat, lng });
  };
  return (
    <>
      <p class="row">
        {place === undefined
          ? <ActionButton perform={findNear}>{t.near}</ActionButton>
          : <button type="button" onClick={() => setPlace(undefined)}>{t.all}</button>}
      </p>
      <Loaded load={load}>
        {(sponsors) =>
          sponsors.length === 0 ? <p class="notice">{t.nothing}</p> : (
            <ul class="list">
              {sponsors.map((sponsor) => (
                <li key={sponsor.id} class="card">
                  <SponsorCard sponsor={sponsor} />
                </li>
              ))}
            </ul>
          )}
      </Loaded>
    </>
  );
}

function SponsorCard({ sponsor }: { sponsor: Sponsor }) {
  const t = text.value;
  const [news, setNews] = useState("");
  const { id, name, description, address, website, is_open_now, distance_m } = sponsor;
  const checkIn = () =>
    whenSignedIn(async () => {
      setNews("");
      const body = await readExactPosition();
      const { data } = await client.POST("/v1/sponsors/{id}/checkin", { params: { path: { id } }, body });
      setNews(data.counted ? t.counted : t.already);
    });
  return (
    <>
      <p class="account-name">{name}</p>
      <p class="small">
        {[
          distance_m !== undefined && distance(distance_m),
          is_open_now !== null && (is_open_now ? t.open : t.closed),
          address,
        ].filter(Boolean).join(" · ")}
      </p>
      {description && <p>{description}</p>}
      {website && (
        <p>
          <a href={website} target="_blank" rel="noopener noreferrer">{website}</a>
        </p>
      )}
      <div class="row">
        <ActionButton perform={checkIn}>{t.checkIn}</ActionButton>
        <span role="status">{news}</span>
      </div>
    </>
  );
}
