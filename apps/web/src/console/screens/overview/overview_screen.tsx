/** The first screen: figures of the service, and what users do right now. */
import { useEffect } from "preact/hooks";
import { Loaded, useLoad } from "../../../ui/load.tsx";
import { client, may } from "../../kit/access.ts";
import { ActivityFeed } from "./activity_feed.tsx";
import { OverviewFigures } from "./overview_figures.tsx";

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
    <div class="console-overview">
      <div>
        <Loaded load={load}>{(overview) => <OverviewFigures overview={overview} />}</Loaded>
      </div>
      {may("users") && <ActivityFeed />}
    </div>
  );
}
