/** A report: taking it, and the decision on it. */
import { useState } from "preact/hooks";
import type { components, ListItem } from "parking-lot-client";
import { label } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ActionButton, Loaded } from "../../../ui/load.tsx";
import { client, me } from "../../kit/access.ts";
import { announcement } from "../../kit/announcement.ts";
import { type Choice, Decision } from "../../kit/decision.tsx";
import { ChangedNote, Details, type FieldOf } from "../../kit/details.tsx";
import { useEntry } from "../../kit/entry.ts";
import { LotLink, UserLink } from "../../kit/links.tsx";
import { ReportPrice } from "./report_price.tsx";
import { correctionOf, LotCorrection, NO_CORRECTION } from "./lot_correction.tsx";

const text = consoleTexts(({ errorReports }) => errorReports);
const unnamed = consoleTexts(({ kit }) => kit.unnamed);

export type Report = ListItem<"/v1/admin/error-reports">;
type Decided = Omit<components["schemas"]["ErrorReportDecision"], "seen_updated_at">;

function fields(): FieldOf<Report>[] {
  const t = text.value;
  return [
    { label: t.status, show: ({ status }) => label("error_report_status", status) },
    {
      label: t.assigned,
      show: ({ assigned_admin_name, assigned_admin_id }) =>
        assigned_admin_name ?? (assigned_admin_id && unnamed.value.administrator),
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
      show: ({ user_id, user_name }) => <UserLink id={user_id} name={user_name} />,
      value: ({ user_name }) => user_name,
    },
    { label: t.written, show: ({ created_at }) => dateTime(created_at) },
    { label: t.edited, show: ({ updated_at }) => dateTime(updated_at) },
  ];
}

/** The ends of a report, the one with a correction first. */
const ENDS = ["resolved", "rejected"] as const;

export function ErrorReportDetail(
  { id, decided, reloadList }: { id: string; decided: (sentence: string) => void; reloadList: () => void },
) {
  const t = text.value;
  const params = { path: { id } };
  const [correction, setCorrection] = useState(NO_CORRECTION);
  const entry = useEntry((signal) => client.GET("/v1/admin/error-reports/{id}", { params, signal }), [id]);
  const myId = me.value?.admin?.id ?? null;
  const change = (decision: Decided) =>
    entry.change(({ data }) =>
      client.PATCH("/v1/admin/error-reports/{id}", { params, body: { ...decision, seen_updated_at: data.updated_at } })
    );
  const take = async () => {
    if (await change({ assigned_admin_id: myId }) !== "done") return;
    announcement.value = t.taken;
    entry.reload();
    reloadList();
  };
  const choiceOf = (status: (typeof ENDS)[number]): Choice => ({
    name: status === "resolved" ? t.resolve : t.reject,
    kind: status === "resolved" ? "primary" : "danger",
    needsReason: status === "rejected",
    perform: async (reason) => {
      const more = status === "resolved" ? correctionOf(correction) : {};
      const outcome = await change({ status, ...(reason === null ? {} : { reason }), ...more });
      if (outcome === "done") decided(t[status]);
    },
  });
  return (
    <Loaded load={entry}>
      {({ data: report }) => {
        const ends = ENDS.filter((status) => report.allowed_statuses.includes(status));
        // The prices of the lot have a button that resolves the report too.
        const isPrice = report.report_type === "price" && report.parking_lot_id !== null && ends.includes("resolved");
        const others = ends.filter((status) => !isPrice || status !== "resolved");
        return (
          <>
            <h2>{report.parking_lot_name}</h2>
            {entry.before && <ChangedNote before={entry.before} now={report} fields={fields()} />}
            <Details data={report} fields={fields()} />
            {report.allowed_statuses.length > 0 && report.assigned_admin_id !== myId && (
              <p>
                <ActionButton class="primary" perform={take}>
                  {report.assigned_admin_id === null ? t.take : t.takeOver}
                </ActionButton>
              </p>
            )}
            {ends.includes("resolved") && report.parking_lot_id !== null && (
              isPrice
                ? (
                  <ReportPrice
                    report={report}
                    lotId={report.parking_lot_id}
                    resolve={async (reason) => {
                      if (await change({ status: "resolved", reason }) === "done") decided(t.resolved);
                    }}
                  />
                )
                : <LotCorrection correction={correction} onChange={setCorrection} />
            )}
            {others.length > 0 && <Decision reason={t.reason} hint={t.reasonHint} choices={others.map(choiceOf)} />}
          </>
        );
      }}
    </Loaded>
  );
}
