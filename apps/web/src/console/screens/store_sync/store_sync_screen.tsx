/** Sales, reviews and figures of the stores, and the runs that fetch them. */
import type { PageProps } from "../../../page.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Tabs } from "../../kit/tabs.tsx";
import { DailySales } from "./daily_sales.tsx";
import { StoreMetrics, StoreReviews, StoreSales } from "./store_lists.tsx";
import { SCREEN, StoreSyncRun, StoreSyncRuns } from "./store_sync_runs.tsx";

const text = consoleTexts(({ storeSync }) => storeSync);

export function StoreSyncScreen({ parts: [part] }: PageProps) {
  const t = text.value;
  const tabs = [
    [SCREEN, t.runs],
    [`${SCREEN}/daily`, t.daily],
    [`${SCREEN}/sales`, t.sales],
    [`${SCREEN}/reviews`, t.reviews],
    [`${SCREEN}/metrics`, t.metrics],
  ] as const;
  const current = part === undefined ? SCREEN : `${SCREEN}/${part}`;
  if (!tabs.some(([address]) => address === current)) return <StoreSyncRun key={part} id={part!} />;
  return (
    <>
      <Tabs label={t.parts} tabs={tabs} current={current} />
      {part === undefined && <StoreSyncRuns />}
      {part === "daily" && <DailySales />}
      {part === "sales" && <StoreSales />}
      {part === "reviews" && <StoreReviews />}
      {part === "metrics" && <StoreMetrics />}
    </>
  );
}
