/** A report about a price: what the driver says beside the prices of the lot, which are corrected there. */
import type { ListItem } from "parking-lot-client";
import { consoleTexts } from "../../../texts/console.ts";
import { Loaded } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { useEntry } from "../../kit/entry.ts";
import { PriceSimulator } from "../parking_lots/prices/price_simulator.tsx";

const text = consoleTexts(({ errorReports }) => errorReports);

export function ReportPrice({ report, lotId, resolve }: {
  report: ListItem<"/v1/admin/error-reports">;
  lotId: string;
  resolve: (reason: string) => Promise<unknown>;
}) {
  const t = text.value;
  const path = { id: lotId };
  const entry = useEntry((signal) => client.GET("/v1/admin/parking-lots/{id}", { params: { path }, signal }), [lotId]);
  return (
    <section aria-label={t.prices}>
      <h3>{t.prices}</h3>
      <blockquote class="console-quote">{report.description ?? t.noDescription}</blockquote>
      <div class="row">
        {report.evidence_urls.map((url, index) => (
          <a key={url} href={url} target="_blank" rel="noopener">
            <img class="console-photo" src={url} alt={t.file(index + 1)} />
          </a>
        ))}
      </div>
      <Loaded load={entry}>{() => <PriceSimulator entry={entry} resolve={resolve} />}</Loaded>
    </section>
  );
}
