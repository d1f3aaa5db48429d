/** A lot with its form and its history. */
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { ActTable } from "../../kit/act_table.tsx";
import { useEntry } from "../../kit/entry.ts";
import { LotForm } from "./lot_form.tsx";

const text = consoleTexts(({ parkingLots }) => parkingLots);

export const SCREEN = "/console/parking-lots";

export function LotDetail({ id }: { id: string }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/parking-lots/{id}", { params: { path }, signal }), [id]);
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{t.all}</a>
      </p>
      <Loaded load={entry}>
        {({ data: lot, etag }) => (
          <>
            <h2>{lot.name}</h2>
            <LotLinks id={id} />
            <LotForm entry={entry} lot={lot} />
            <h2>{t.history}</h2>
            <ActTable key={etag} path="/v1/admin/parking-lots/{id}/history" of={path} />
          </>
        )}
      </Loaded>
    </>
  );
}

function LotLinks({ id }: { id: string }) {
  const t = text.value;
  const links = [
    [t.open, href(`/lots/${id}`)],
    [t.reviews, href("/console/reviews", { parking_lot_id: id })],
    [t.reports, href("/console/error-reports", { parking_lot_id: id })],
    [t.values, href("/console/field-values", { parking_lot_id: id })],
  ] as const;
  return (
    <nav aria-label={t.ofLot}>
      <ul class="choices">
        {links.map(([name, address]) => (
          <li key={name}>
            <a class="button" href={address}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
