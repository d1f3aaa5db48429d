/** A lot with all that belongs to it, in parts: facts, prices, hours, days, spaces, tags, photos and the record. */
import { useEffect } from "preact/hooks";
import { label } from "../../../codes.ts";
import { href, navigate } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ActionButton, Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { ActTable } from "../../kit/act_table.tsx";
import { announcement } from "../../kit/announcement.ts";
import { Confirm } from "../../kit/confirm.tsx";
import { actOn, type Entry, ifMatch, useEntry } from "../../kit/entry.ts";
import { EditEntry, type Item } from "../../kit/resource.tsx";
import { rereadLists } from "../../kit/table.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { LotSet, SETS } from "./lot_sets.tsx";
import { PositionEditor } from "./position/position_editor.tsx";
import { PriceSimulator } from "./prices/price_simulator.tsx";
import type { Lot } from "./prices/tariff.ts";
import { Provenance } from "./sets/provenance.tsx";

const text = consoleTexts(({ parkingLots }) => parkingLots);

export const SCREEN = "/console/parking-lots";

/** The parts of a lot's page, in the order of its tabs. */
const PARTS = ["facts", "position", "price", ...SETS, "record"] as const;
type Part = (typeof PARTS)[number];

interface LotDetailProps {
  readonly id: string;
  readonly part: string | undefined;
  readonly setTitle: (title: string) => void;
}

export function LotDetail({ id, part, setTitle }: LotDetailProps) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/parking-lots/{id}", { params: { path }, signal }), [id]);
  const name = entry.data?.data.name;
  useEffect(() => name === undefined ? undefined : setTitle(name), [name]);
  const open = PARTS.find((one) => one === part) ?? "facts";
  const addressOf = (part: Part) => part === "facts" ? `${SCREEN}/${id}` : `${SCREEN}/${id}/${part}`;
  return (
    <Loaded load={entry}>
      {({ data: lot, etag }) => (
        <>
          <LotHead entry={entry} lot={lot} />
          <Tabs
            label={t.partsOfLot}
            tabs={PARTS.map((part) => [addressOf(part), t.lotParts[part]])}
            current={addressOf(open)}
          />
          <LotPart key={open} part={open} entry={entry} />
          {open === "record" && <ActTable key={etag} path="/v1/admin/parking-lots/{id}/history" of={path} />}
        </>
      )}
    </Loaded>
  );
}

function LotPart({ part, entry }: { part: Part; entry: Entry<Lot> }) {
  if (part === "record") return null;
  if (part === "position") return <PositionEditor entry={entry} />;
  if (part === "price") return <PriceSimulator entry={entry} />;
  return part === "facts" ? <LotFacts entry={entry} /> : <LotSet name={part} entry={entry} />;
}

function LotFacts({ entry }: { entry: Entry<Lot> }) {
  const { data: lot } = entry.data!;
  return (
    <>
      <EditEntry
        resource={{ useControls: () => ({ status: { options: statusesOf(lot) } }) }}
        operation="PATCH /v1/admin/parking-lots/{id}"
        entry={entry as unknown as Entry<Item>}
        path={{ id: lot.id }}
      />
      <Provenance id={lot.id} />
      <LotRemoval entry={entry} />
    </>
  );
}

const statusesOf = ({ status, allowed_statuses }: Lot): [string, string][] =>
  [status, ...allowed_statuses].map((code) => [code, label("parking_lot_status", code)]);

/** The state of the lot, the acts that change it, and where else it appears. */
function LotHead({ entry, lot }: { entry: Entry<Lot>; lot: Lot }) {
  const t = text.value;
  const { id, status, allowed_statuses } = lot;
  const links = [
    [t.open, href(`/lots/${id}`)],
    [t.reviews, href("/console/reviews", { parking_lot_id: id })],
    [t.reports, href("/console/error-reports", { parking_lot_id: id })],
    [t.values, href("/console/field-values", { parking_lot_id: id })],
  ] as const;
  return (
    <>
      <p class="row">
        <span class="chip">{label("parking_lot_status", status)}</span>
        <span class="small">{lot.address}</span>
      </p>
      <div class="row">
        {allowed_statuses.map((next) => (
          <ActionButton
            key={next}
            class={next === "active" ? "primary" : ""}
            perform={async () => {
              await actOn(entry, t.statusDone(label("parking_lot_status", next)), (seen) =>
                client.PATCH("/v1/admin/parking-lots/{id}", {
                  params: { path: { id }, header: ifMatch(seen) },
                  body: { status: next },
                }));
              rereadLists();
            }}
          >
            {t.statusActs[next]}
          </ActionButton>
        ))}
      </div>
      <nav aria-label={t.ofLot}>
        <ul class="choices">
          {links.map(([name, address]) => (
            <li key={name}>
              <a href={address}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}

/** A lot that was used is closed instead of deleted: the answer says which of both was done. */
function LotRemoval({ entry }: { entry: Entry<Lot> }) {
  const t = text.value;
  const { id } = entry.data!.data;
  return (
    <Confirm
      name={t.remove}
      ask={t.removeAsk}
      really={t.removeReally}
      perform={async () => {
        const { data } = await client.DELETE("/v1/admin/parking-lots/{id}", { params: { path: { id } } });
        announcement.value = data.deleted ? t.removed : t.closedInstead;
        rereadLists();
        if (data.deleted) navigate(SCREEN);
        else entry.reload();
      }}
    />
  );
}
