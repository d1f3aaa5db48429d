/** What the page begins with: the photos of the lot, or a small map of where it is. */
import { useEffect, useRef, useState } from "preact/hooks";
import { money } from "../../format.ts";
import { pageTexts } from "../../texts/pages.ts";
import { lazy } from "../../ui/lazy.tsx";
import type { LotProps } from "./lot.ts";

const text = pageTexts(({ lot }) => lot.hero);

// The fee is shown before the map around it is there.
const LotPlan = lazy(() => import("./lot_plan.tsx"), ({ LotPlan }) => LotPlan, () => null);

export function Hero({ lot }: LotProps) {
  const t = text.value;
  const name = lot.name ?? "";
  const pictures = lot.images.filter(({ image_url }) => image_url !== null);
  if (pictures.length > 0) {
    return (
      <ul class="lot-photos" tabIndex={pictures.length > 1 ? 0 : undefined} aria-label={t.pictures}>
        {pictures.map(({ id, image_url }, index) => (
          <li key={id}>
            <img src={image_url!} alt={t.picture(index + 1, name)} loading={index === 0 ? "eager" : "lazy"} />
          </li>
        ))}
      </ul>
    );
  }
  return <Plan lot={lot} />;
}

function Plan({ lot }: Pick<LotProps, "lot">) {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState<number>();
  useEffect(() => setWidth(Math.round(holder.current!.clientWidth)), []);
  const { lat, lng, planned_stay } = lot;
  const fee = planned_stay?.locked_in === true ? undefined : planned_stay?.fee;
  return (
    <div class="lot-plan" aria-hidden="true" ref={holder}>
      {lat !== null && lng !== null && width !== undefined && <LotPlan lat={lat} lng={lng} width={width} />}
      <span class="lot-plan-pin">{fee ? money(fee.total_amount, fee.currency) : "P"}</span>
    </div>
  );
}
