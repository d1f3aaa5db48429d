/** Lots of every status: search, the main fields with the version that was read, their history, and how often they are used. */
import { label, options } from "../../../codes.ts";
import { dateTime, money, number } from "../../../format.ts";
import { names } from "../../../lot_fields.ts";
import type { PageProps } from "../../../page.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Table } from "../../kit/table.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { LotDetail, SCREEN } from "./lot_detail.tsx";

const text = consoleTexts(({ parkingLots }) => parkingLots);

export function ParkingLotsScreen({ parts: [id] }: PageProps) {
  const t = text.value;
  if (id !== undefined && id !== "engagement") return <LotDetail key={id} id={id} />;
  const tabs = [[SCREEN, t.lots], [`${SCREEN}/engagement`, t.engagement]] as const;
  return (
    <>
      <Tabs label={t.parts} tabs={tabs} current={id === undefined ? SCREEN : `${SCREEN}/engagement`} />
      {id === undefined ? <LotList /> : <LotEngagement />}
    </>
  );
}

function LotList() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/parking-lots"
      empty={t.empty}
      filters={[
        { name: "q", label: t.search },
        { name: "status", label: t.status, options: options("parking_lot_status") },
        { name: "source", label: t.source },
        { name: "operator_code", label: t.operator },
      ]}
      columns={[
        { head: names.value.name, cell: ({ id, name }) => <a href={href(`${SCREEN}/${id}`)}>{name}</a> },
        { head: t.address, cell: ({ address }) => address },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("parking_lot_status", status)}</span> },
        { head: t.source, cell: ({ source }) => source },
        { head: t.spaces, cell: ({ total_spaces }) => total_spaces && number(total_spaces), isNumber: true },
        {
          head: t.hourPrice,
          cell: ({ hour_price, currency }) => hour_price !== null && money(hour_price, currency),
          isNumber: true,
        },
        { head: t.edited, cell: ({ updated_at }) => dateTime(updated_at) },
      ]}
    />
  );
}

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
