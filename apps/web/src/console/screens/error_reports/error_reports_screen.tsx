/** Error reports: an administrator takes a report, and resolves it with a correction of the lot, or rejects it. */
import { label, options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import type { PageProps } from "../../../page.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Queue } from "../../kit/queue.tsx";
import { ErrorReportDetail, type Report } from "./error_report_detail.tsx";

const text = consoleTexts(({ errorReports }) => errorReports);

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
      line={(report) => <ErrorReportLine report={report} />}
      detail={(id, decided, reload) => <ErrorReportDetail id={id} decided={decided} reloadList={reload} />}
    />
  );
}

function ErrorReportLine({ report }: { report: Report }) {
  return (
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
  );
}
