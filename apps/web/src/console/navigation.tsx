/** The navigation of the console: its screens in groups, with how much waits. */
import { useEffect } from "preact/hooks";
import { number } from "../format.ts";
import { href } from "../router.ts";
import { consoleTexts } from "../texts/console.ts";
import { useLoad } from "../ui/load.tsx";
import { client, may } from "./kit/access.ts";
import { announcement } from "./kit/announcement.ts";
import { GROUPS, names, type Screen, SCREENS } from "./screens.ts";

const text = consoleTexts(({ consolePage }) => consolePage);

const isOffered = ({ areas }: Screen) => may(undefined) && (areas === undefined || areas.some(may));

/** How much waits is read again after each act, and each minute. */
const INTERVAL_MS = 60_000;

export function Navigation({ current }: { current: string }) {
  const counts = useCounts();
  const starts = GROUPS.map(([, first]) => SCREENS.findIndex(({ path }) => path === first));
  return (
    <>
      {GROUPS.map(([group], nth) => {
        const offered = SCREENS.slice(starts[nth], starts[nth + 1]).filter(isOffered);
        return offered.length === 0 ? null : (
          <section key={group}>
            <h2>{text.value.groups[group]}</h2>
            <ul>
              {offered.map(({ path }) => (
                <li key={path}>
                  <a href={href(`/console/${path}`)} aria-current={path === current ? "page" : undefined}>
                    {names.value[path]}
                  </a>
                  {(counts.get(path) ?? 0) > 0 && (
                    <span class="console-count" title={text.value.waiting(number(counts.get(path)!))}>
                      {number(counts.get(path)!)}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

/** The counts of the queues that the administrator has the areas for. */
function useCounts(): ReadonlyMap<string, number> {
  const load = useLoad(async (signal) => (await client.GET("/v1/admin/overview", { signal })).data.open_work, [
    announcement.value,
  ]);
  useEffect(() => {
    const timer = setInterval(load.reload, INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  const { pending_reviews, open_error_reports, waiting_tickets } = load.data ?? {};
  return new Map([
    ["reviews", pending_reviews?.count ?? 0],
    ["error-reports", open_error_reports?.count ?? 0],
    ["support-tickets", waiting_tickets?.count ?? 0],
  ]);
}
