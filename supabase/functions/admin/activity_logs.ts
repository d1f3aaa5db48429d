import type { z } from "zod";
import { MAX_LINES, pagesAsLines } from "../_shared/http/lines.ts";
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
    "Newest first. Only actions of the caller's areas: an action belongs to the area that it needs. `Accept: " +
    `application/x-ndjson\` returns up to ${MAX_LINES} rows from \`cursor\` on, one per line; with \`limit\` so many. If ` +
    "there are more, the last line is `{next_cursor, has_more}`: send the request again with that cursor. If the stream " +
    "fails, the connection is aborted.",
  query: AdminActivityLogsQuery,
  reply: [200, AdminActivityLogs],
  representations: {
    lines: ({ db, query }, limit) =>
      pagesAsLines(
        { limit, pageSize: EXPORT_PAGE, cursor: query.cursor },
        (page) =>
          db.rpc<z.input<typeof AdminActivityLogs>>(
            "admin_list_activity_logs",
            argumentsOf({ ...query, ...page, include: undefined }),
          ),
      ),
  },
  errors: [],
  calls: "admin_list_activity_logs",
  args: ({ query }) => argumentsOf(query),
});

/** For the client `admin_id` is a filter. For the database it is the administrator who sends the request. */
function argumentsOf({ admin_id, ...query }: z.output<typeof AdminActivityLogsQuery>) {
  return { ...query, by_admin_id: admin_id };
}
