// What the sample people have done before the first start.
import type { History } from "./history.ts";
import type { Ids } from "./people.ts";

export async function live(history: History, ids: Ids): Promise<void> {
  const lots = await lotIds(history);
  const hanako = ids["hanako@example.com"];
  await history.at(
    history.minutesAgo(50),
    () => history.asUser(hanako, "start_parking_session", { p_parking_lot_id: lots["tokyo-002"] }),
  );
  await history.at(history.daysAgo(2, "11:00"), () =>
    history.asAdmin(ids["admin@example.com"], "admin_suspend_user", {
      p_id: ids["emma@example.com"],
      p_reason: "Repeated advertising in reviews",
    }));
}

/** The id of each seeded lot, by its name in seed/. */
async function lotIds({ sql }: History): Promise<Record<string, string>> {
  const rows = await sql<{ id: string; external_id: string }[]>`
    select id, external_id from public.parking_lots where source = 'seed'`;
  return Object.fromEntries(rows.map(({ id, external_id }) => [external_id, id]));
}
