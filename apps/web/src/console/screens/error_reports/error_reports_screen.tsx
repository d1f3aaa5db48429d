/** Error reports: an administrator takes a report, and resolves it with a correction of the lot, or rejects it. */
import { useState } from "preact/hooks";
import type { ListItem } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { ActionButton, Loaded } from "../../../ui/load.tsx";
import { client, me } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { Decision } from "../../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { useEntry } from "../../kit/entry.ts";
import { LotLink, PersonLink } from "../../kit/links.tsx";
import { changeOf, choicesOf, isNumber, LOT_FIELDS, type LotField, names } from "../../../lot_fields.ts";
import { Queue } from "../../kit/queue.tsx";

type Report = ListItem<"/v1/admin/error-reports">;

const text = texts({
  en: {
    empty: "No report waits.",
    status: "Status",
    waiting: "Open or in review",
    severity: "Severity",
    type: "About",
    lot: "Lot",
    author: "Reported by",
    description: "Description",
    evidence: "Evidence",
    file: (n: number) => `File ${n}`,
    assigned: "Taken by",
    written: "Reported",
    edited: "Changed",
    take: "Take the report",
    takeOver: "Take it over",
    taken: "The report is yours.",
    resolve: "Resolve",
    resolved: "Resolved.",
    reject: "Reject",
    rejected: "Rejected.",
    reason: "Reason",
    reasonHint: "It is on record, and the author reads it.",
    correction: "Correct the lot",
    noCorrection: "No correction",
    value: "Correct value",
    lotId: "Id of the lot",
  },
  ja: {
    empty: "対応待ちの報告はありません。",
    status: "状態",
    waiting: "未対応・確認中",
    severity: "重要度",
    type: "内容",
    lot: "駐車場",
    author: "報告者",
    description: "説明",
    evidence: "証拠",
    file: (n: number) => `ファイル${n}`,
    assigned: "担当者",
    written: "報告日時",
    edited: "更新日時",
    take: "担当する",
    takeOver: "担当を引き継ぐ",
    taken: "担当になりました。",
    resolve: "解決",
    resolved: "解決しました。",
    reject: "却下",
    rejected: "却下しました。",
    reason: "理由",
    reasonHint: "記録に残り、報告者に通知されます。",
    correction: "駐車場の情報を修正",
    noCorrection: "修正しない",
    value: "正しい値",
    lotId: "駐車場のID",
  },
});

export function ErrorReportsScreen({ parts }: PageProps) {
  const t = text.value;
  return (
    <Queue
      path="/v1/admin/error-reports"
      screen="/console/error-reports"
      id={parts[0]}
      empty={t.empty}
      filters={[
        { name: "status", label: t.status, options: options("error_report_status"), without: t.waiting },
        { name: "severity", label: t.severity, options: options("error_report_severity") },
        { name: "parking_lot_id", label: t.lotId, isFromLink: true },
      ]}
      line={(report) => (
        <>
          <span class="row">
            <strong>{report.parking_lot_name}</strong>
            <span class="chip">{label("error_report_status", report.status)}</span>
          </span>
          <span class="console-excerpt">{report.description}</span>
          <span class="small">
            {[
              label("error_report_type", report.report_type),
              report.severity && label("error_report_severity", report.severity),
              report.assigned_admin_name,
              dateTime(report.created_at),
            ].filter(Boolean).join(", ")}
          </span>
        </>
      )}
      detail={(id, decided, reload) => <Report id={id} decided={decided} reloadList={reload} />}
    />
  );
}

function fields(): FieldOf<Report>[] {
  const t = text.value;
  return [
    { label: t.status, show: ({ status }) => label("error_report_status", status) },
    {
      label: t.assigned,
      show: ({ assigned_admin_name, assigned_admin_id }) => assigned_admin_name ?? assigned_admin_id,
    },
    {
      label: t.lot,
      show: ({ parking_lot_id, parking_lot_name }) => <LotLink id={parking_lot_id} name={parking_lot_name} />,
      value: ({ parking_lot_id }) => parking_lot_id,
    },
    { label: t.type, show: ({ report_type }) => label("error_report_type", report_type) },
    { label: t.severity, show: ({ severity }) => severity && label("error_report_severity", severity) },
    { label: t.description, show: ({ description }) => description },
    {
      label: t.evidence,
      show: ({ evidence_urls }) =>
        evidence_urls.length === 0 ? null : (
          <span class="row">
            {evidence_urls.map((url, index) => (
              <a key={url} href={url} target="_blank" rel="noopener">{t.file(index + 1)}</a>
            ))}
          </span>
        ),
      value: ({ evidence_urls }) => evidence_urls.length,
    },
    {
      label: t.author,
      show: ({ user_id, user_name }) => <PersonLink id={user_id} name={user_name} />,
      value: ({ user_name }) => user_name,
    },
    { label: t.written, show: ({ created_at }) => dateTime(created_at) },
    { label: t.edited, show: ({ updated_at }) => dateTime(updated_at) },
  ];
}

function Report(
  { id, decided, reloadList }: { id: string; decided: (sentence: string) => void; reloadList: () => void },
) {
  const t = text.value;
  const params = { path: { id } };
  const [field, setField] = useState<LotField | "">("");
  const [value, setValue] = useState("");
  const entry = useEntry((signal) => client.GET("/v1/admin/error-reports/{id}", { params, signal }), [id]);
  const myId = me.value?.admin?.id ?? null;

  const take = async () => {
    const outcome = await entry.change(({ data }) =>
      client.PATCH("/v1/admin/error-reports/{id}", {
        params,
        body: { assigned_admin_id: myId, seen_updated_at: data.updated_at },
      })
    );
    if (outcome !== "done") return;
    announcement.value = t.taken;
    entry.reload();
    reloadList();
  };
  const decide = async (status: "resolved" | "rejected", reason: string | null) => {
    const correction = status === "resolved" && field !== "" ? { correction: { ...changeOf(field, value) } } : {};
    const outcome = await entry.change(({ data }) =>
      client.PATCH("/v1/admin/error-reports/{id}", {
        params,
        body: { status, seen_updated_at: data.updated_at, ...(reason === null ? {} : { reason }), ...correction },
      })
    );
    if (outcome === "done") decided(t[status]);
  };
  return (
    <Loaded load={entry}>
      {({ data: report }) => (
        <>
          <h2>{report.parking_lot_name}</h2>
          {entry.before && <ChangedNote before={entry.before} now={report} fields={fields()} />}
          <Details data={report} fields={fields()} />
          {(report.status === "open" || report.status === "in_review") && report.assigned_admin_id !== myId && (
            <p>
              <ActionButton class="primary" perform={take}>
                {report.assigned_admin_id === null ? t.take : t.takeOver}
              </ActionButton>
            </p>
          )}
          {report.status === "in_review" && (
            <>
              {report.parking_lot_id !== null && (
                <Correction field={field} value={value} setField={setField} setValue={setValue} />
              )}
              <Decision
                reason={t.reason}
                hint={t.reasonHint}
                choices={[
                  { name: t.resolve, kind: "primary", perform: (reason) => decide("resolved", reason) },
                  {
                    name: t.reject,
                    kind: "danger",
                    needsReason: true,
                    perform: (reason) => decide("rejected", reason),
                  },
                ]}
              />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function Correction(
  { field, value, setField, setValue }: {
    field: LotField | "";
    value: string;
    setField: (field: LotField | "") => void;
    setValue: (value: string) => void;
  },
) {
  const t = text.value;
  const choices = field === "" ? undefined : choicesOf(field);
  return (
    <div class="console-bar">
      <label class="field">
        <span>{t.correction}</span>
        <select
          value={field}
          onChange={(event) => {
            setField(event.currentTarget.value as LotField);
            setValue("");
          }}
        >
          <option value="">{t.noCorrection}</option>
          {LOT_FIELDS.map((field) => <option key={field} value={field}>{names.value[field]}</option>)}
        </select>
      </label>
      {field !== "" && (
        <label class="field">
          <span>{t.value}</span>
          {choices
            ? (
              <select value={value} onChange={(event) => setValue(event.currentTarget.value)}>
                <option value="">–</option>
                {choices.map(([code, label]) => <option key={code} value={code}>{label}</option>)}
              </select>
            )
            : (
              <input
                inputMode={isNumber(field) ? "decimal" : "text"}
                value={value}
                onInput={(event) => setValue(event.currentTarget.value)}
              />
            )}
        </label>
      )}
    </div>
  );
}
