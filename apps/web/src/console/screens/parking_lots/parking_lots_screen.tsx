/** Lots of every status: search, add, import, each with all that belongs to it, and how often they are used. */
import { useState } from "preact/hooks";
import type { ListItem } from "parking-lot-client";
import { label, options } from "../../../codes.ts";
import { dateTime, money, number } from "../../../format.ts";
import { names } from "../../../lot_fields.ts";
import type { PageProps } from "../../../page.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { client } from "../../kit/access.ts";
import { NewEntry, type Resource } from "../../kit/resource.tsx";
import { SidePanel } from "../../kit/side_panel.tsx";
import { Table } from "../../kit/table.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { ImportScreen } from "./import/import_screen.tsx";
import { LotDetail, SCREEN } from "./lot_detail.tsx";
import type { Lot } from "./prices/tariff.ts";

const text = consoleTexts(({ parkingLots }) => parkingLots);

type ListedLot = ListItem<"/v1/admin/parking-lots">;

const LOTS: Resource = {
  screen: SCREEN,
  read: "GET /v1/admin/parking-lots/{id}",
  start: { status: "draft" },
  titleOf: ({ name }) => String(name),
};

export function ParkingLotsScreen({ parts: [id, part] }: PageProps) {
  const t = text.value;
  const tab = id === "engagement" || id === "import" ? `${SCREEN}/${id}` : SCREEN;
  return (
    <>
      <Tabs
        label={t.parts}
        tabs={[[SCREEN, t.lots], [`${SCREEN}/import`, t.importLots], [`${SCREEN}/engagement`, t.engagement]]}
        current={tab}
      />
      {id === "engagement" ? <LotEngagement /> : id === "import" ? <ImportScreen /> : <Lots id={id} part={part} />}
    </>
  );
}

function Lots({ id, part }: { id: string | undefined; part: string | undefined }) {
  const t = text.value;
  const [title, setTitle] = useState("");
  const isNew = id === "new";
  return (
    <SidePanel open={id} back={SCREEN} title={isNew ? t.newLot : title} list={<LotList />}>
      {isNew
        ? <NewEntry resource={LOTS} operation="POST /v1/admin/parking-lots" />
        : <LotDetail id={id ?? ""} part={part} setTitle={setTitle} />}
    </SidePanel>
  );
}

function LotList() {
  const t = text.value;
  return (
    <>
      <p>
        <a class="button" href={href(`${SCREEN}/new`)}>{t.add}</a>
      </p>
      <Table
        path="/v1/admin/parking-lots"
        empty={t.empty}
        several={{
          idOf: ({ id }) => id,
          nameOf: ({ name }) => name,
          acts: (["active", "suspended", "closed"] as const).map((next) => ({
            name: t.statusActs[next],
            kind: next === "active" ? "primary" : "danger",
            isFor: ({ status }: ListedLot) => status !== next,
            perform: (lot: ListedLot) => setStatus(lot, next),
          })),
        }}
        filters={[
          { name: "q", label: t.search },
          { name: "status", label: t.status, options: options("parking_lot_status") },
          { name: "source", label: t.source },
          { name: "operator_code", label: t.operator },
        ]}
        columns={[
          { head: names.value.name, cell: ({ id, name }) => <a href={href(`${SCREEN}/${id}`)}>{name}</a> },
          {
            head: t.hourPrice,
            cell: ({ hour_price, currency }) => hour_price !== null && money(hour_price, currency),
            isNumber: true,
          },
          { head: t.status, cell: ({ status }) => <span class="chip">{label("parking_lot_status", status)}</span> },
          { head: t.address, cell: ({ address }) => address },
          { head: t.source, cell: ({ source }) => source },
          { head: t.spaces, cell: ({ total_spaces }) => total_spaces && number(total_spaces), isNumber: true },
          { head: t.edited, cell: ({ updated_at }) => dateTime(updated_at) },
        ]}
      />
    </>
  );
}

/** The version that the list shows, for `If-Match`: a lot that somebody else has changed since stays as it is. */
const seenInList = ({ updated_at }: { updated_at: string }) => ({ "If-Match": JSON.stringify(updated_at) });

const setStatus = (lot: ListedLot, status: Lot["status"]) =>
  client.PATCH("/v1/admin/parking-lots/{id}", {
    params: { path: { id: lot.id }, header: seenInList(lot) },
    body: { status },
  });

function LotEngagement() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/parking-lots/engagement"
      empty={t.unused}
      filters={[
        {
          name: "sort",
          label: t.sort,
          options: [["saves", t.saves], ["sessions", t.sessions], ["searches", t.searches]],
          without: t.anyUse,
        },
        { name: "from", label: t.from, type: "date" },
        { name: "to", label: t.to, type: "date" },
      ]}
      columns={[
        {
          head: names.value.name,
          cell: ({ parking_lot_id, name }) =>
            name === null ? t.deleted : <a href={href(`${SCREEN}/${parking_lot_id}`)}>{name}</a>,
        },
        { head: t.saves, cell: ({ saves }) => number(saves), isNumber: true },
        { head: t.sessions, cell: ({ sessions }) => number(sessions), isNumber: true },
        { head: t.searches, cell: ({ searches }) => number(searches), isNumber: true },
      ]}
    />
  );
}
