import type { z } from "zod";
import { route } from "../_shared/http/route.ts";
import { AdminActivityLogs, AdminActivityLogsQuery } from "./activity_logs.schema.ts";

const EXPORT_PAGE = 1000;

export const listActivityLogs = route({
  method: "GET",
  path: "/admin/activity-logs",
  access: "admin",
  area: null,
  summary: "List administrator actions",
  description:
    "Newest first. Only actions of the caller's areas: an action belongs to the area that it needs. With `Accept: application/x-ndjson` the response contains all matching rows from `cursor` on, one " +
    "per line, and ignores `limit`. If the stream fails, the connection is aborted.",
  query: AdminActivityLogsQuery,
  reply: [200, AdminActivityLogs],
  representations: {
    async *lines({ db, query }) {
      let cursor = query.cursor ?? null;
      do {
        const page: z.input<typeof AdminActivityLogs> = await db.rpc(
          "admin_list_activity_logs",
          argumentsOf({ ...query, cursor: cursor ?? undefined, limit: EXPORT_PAGE, include: undefined }),
        );
        yield* page.items;
        cursor = page.next_cursor;
      } while (cursor !== null);
    },
  },
  errors: [],
  calls: "admin_list_activity_logs",
  args: ({ query }) => argumentsOf(query),
});

/** For the client `admin_id` is a filter. For the database it is the administrator who sends the request. */
function argumentsOf({ admin_id, ...query }: z.output<typeof AdminActivityLogsQuery>) {
  return { ...query, by_admin_id: admin_id };
}
