/** The first screen: what waits for a decision, with figures of the service and what users do right now beside it. */
import { useEffect } from "preact/hooks";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { addStyle } from "../../../ui/style.ts";
import { client, may } from "../../kit/access.ts";
import { ActivityFeed } from "./activity_feed.tsx";
import style from "./overview.css" with { type: "text" };
import { Now, OverviewFigures } from "./overview_figures.tsx";
import { QuestionList } from "./question_list.tsx";

addStyle(style);

const RELOAD_MS = 60_000;
const DAYS = 14;

export function OverviewScreen() {
  const load = useLoad(
    async (signal) => (await client.GET("/v1/admin/overview", { params: { query: { days: DAYS } }, signal })).data,
    [],
  );
  useEffect(() => {
    const timer = setInterval(load.reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Loaded load={load}>
      {(overview) => (
        <>
          <div class="console-overview">
            <QuestionList overview={overview} />
            <div>
              <Now overview={overview} />
              {may("users") && <ActivityFeed />}
            </div>
          </div>
          <OverviewFigures overview={overview} />
        </>
      )}
    </Loaded>
  );
}
