/// <reference lib="dom" />
/** Lots of every status: search, the main fields with the version that was read, their history, and how often they are used. */
import { useRef, useState } from "preact/hooks";
import type { components, ResponseBody } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime, money, number } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { href } from "../../../router.ts";
import { Field, Form, Select } from "../../../ui/form.tsx";
import { Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { Acts } from "../activity_logs.tsx";
import { announcement } from "../../kit/announcement.ts";
import { ChangedNote, type FieldOf } from "../../kit/details.tsx";
import { type Entry, ifMatch, useEntry } from "../../kit/entry.ts";
import { changeOf, choicesOf, isNumber, LOT_FIELDS, names, shownValue } from "../../../lot_fields.ts";
import { Table } from "../../kit/table.tsx";
import { Tabs } from "../../kit/tabs.tsx";

type Lot = ResponseBody<"/v1/admin/parking-lots/{id}", "get">;
type Changes = components["schemas"]["ParkingLotChanges"];

const SCREEN = "/console/parking-lots";

const text = texts({
  en: {
    parts: "Parts of this page",
    lots: "Lots",
    engagement: "Use of lots",
    search: "Name or address",
    status: "Status",
    source: "Source",
    operator: "Code of the operator",
    address: "Address",
    spaces: "Spaces",
    hourPrice: "An hour",
    rating: "Rating",
    edited: "Changed",
    empty: "No such lot.",
    all: "All lots",
    open: "Open the public page",
    save: "Save",
    saved: "Saved.",
    mine: "Save mine over it",
    newer: "Take the newer version",
    ofLot: "About this lot",
    reviews: "Reviews",
    reports: "Error reports",
    values: "Values of the lot",
    history: "History",
    saves: "Saved",
    sessions: "Sessions",
    searches: "Shown in searches",
    sort: "Order",
    anyUse: "Any use",
    from: "From",
    to: "Until before",
    deleted: "Deleted lot",
    unused: "No lot was used in this time.",
  },
  ja: {
    parts: "このページの項目",
    lots: "駐車場",
    engagement: "利用状況",
    search: "名称・住所",
    status: "状態",
    source: "出典",
    operator: "運営会社のコード",
    address: "住所",
    spaces: "台数",
    hourPrice: "1時間の料金",
    rating: "評価",
    edited: "更新日時",
    empty: "該当する駐車場はありません。",
    all: "駐車場の一覧",
    open: "公開ページを開く",
    save: "保存",
    saved: "保存しました。",
    mine: "自分の内容で上書き",
    newer: "新しい版を使う",
    ofLot: "関連する項目",
    reviews: "レビュー",
    reports: "情報修正の報告",
    values: "駐車場の値",
    history: "変更履歴",
    saves: "保存",
    sessions: "駐車",
    searches: "検索での表示",
    sort: "並び順",
    anyUse: "すべての利用",
    from: "開始日",
    to: "終了日(この日は含まない)",
    deleted: "削除された駐車場",
    unused: "この期間に利用された駐車場はありません。",
  },
});

export function ParkingLotsScreen({ parts: [id] }: PageProps) {
  const t = text.value;
  if (id !== undefined && id !== "engagement") return <One key={id} id={id} />;
  const tabs = [[SCREEN, t.lots], [`${SCREEN}/engagement`, t.engagement]] as const;
  return (
    <>
      <Tabs label={t.parts} tabs={tabs} current={id === undefined ? SCREEN : `${SCREEN}/engagement`} />
      {id === undefined ? <List /> : <Engagement />}
    </>
  );
}

function List() {
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

function Engagement() {
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

function fields(): FieldOf<Lot>[] {
  return [
    { label: text.value.status, show: ({ status }) => label("parking_lot_status", status) },
    ...LOT_FIELDS.map((field) => ({ label: names.value[field], show: (lot: Lot) => shownValue(field, lot[field]) })),
  ];
}

function One({ id }: { id: string }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => client.GET("/v1/admin/parking-lots/{id}", { params: { path }, signal }), [id]);
  const links = [
    [t.open, href(`/lots/${id}`)],
    [t.reviews, href("/console/reviews", { parking_lot_id: id })],
    [t.reports, href("/console/error-reports", { parking_lot_id: id })],
    [t.values, href("/console/field-values", { parking_lot_id: id })],
  ] as const;
  return (
    <>
      <p>
        <a href={href(SCREEN)}>{t.all}</a>
      </p>
      <Loaded load={entry}>
        {({ data: lot, etag }) => (
          <>
            <h2>{lot.name}</h2>
            <nav aria-label={t.ofLot}>
              <ul class="choices">
                {links.map(([name, address]) => (
                  <li key={name}>
                    <a class="button" href={address}>{name}</a>
                  </li>
                ))}
              </ul>
            </nav>
            <LotForm entry={entry} lot={lot} />
            <h2>{t.history}</h2>
            <Acts key={etag} path="/v1/admin/parking-lots/{id}/history" of={path} />
          </>
        )}
      </Loaded>
    </>
  );
}

const textOf = (value: unknown) => value === null || value === undefined ? "" : String(value);

/** Sends the fields that the person changed. Other fields of a newer version stay as they are. */
function LotForm({ entry, lot }: { entry: Entry<Lot>; lot: Lot }) {
  const t = text.value;
  const holder = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const save = async (values: FormData) => {
    const outcome = await entry.change((seen) => {
      const status = String(values.get("status"));
      const changes = LOT_FIELDS.filter((field) => String(values.get(field) ?? "").trim() !== textOf(seen.data[field]));
      const body: Changes = Object.assign(
        {},
        ...changes.map((field) => changeOf(field, String(values.get(field)))),
        status === seen.data.status ? {} : { status },
      );
      return client.PATCH("/v1/admin/parking-lots/{id}", {
        params: { path: { id: lot.id }, header: ifMatch(seen) },
        body,
      });
    });
    if (outcome !== "done") return;
    announcement.value = t.saved;
    entry.reload();
  };
  return (
    <div ref={holder}>
      {entry.before && (
        <ChangedNote before={entry.before} now={lot} fields={fields()}>
          <div class="row">
            <button type="button" onClick={() => holder.current!.querySelector("form")!.requestSubmit()}>
              {t.mine}
            </button>
            <button
              type="button"
              onClick={() => {
                setAttempt((n) => n + 1);
                entry.accept();
              }}
            >
              {t.newer}
            </button>
          </div>
        </ChangedNote>
      )}
      <Form key={attempt} class="form console-form console-wide" submit={t.save} onSubmit={save}>
        <Select
          name="status"
          label={t.status}
          options={[lot.status, ...lot.allowed_statuses].map((code) => [code, label("parking_lot_status", code)])}
          defaultValue={lot.status}
        />
        {LOT_FIELDS.map((field) => {
          const choices = choicesOf(field);
          const defaultValue = textOf(lot[field]);
          const common = { name: field, label: names.value[field], defaultValue };
          if (choices) return <Select key={field} {...common} options={[["", "–"], ...choices]} />;
          return <Field key={field} {...common} inputMode={isNumber(field) ? "decimal" : "text"} />;
        })}
      </Form>
    </div>
  );
}
