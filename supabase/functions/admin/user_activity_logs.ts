import { route } from "../_shared/http/route.ts";
import { UserActivities, UserActivitiesQuery } from "./user_activity_logs.schema.ts";

export const listUserActivities = route({
  method: "GET",
  path: "/admin/user-activity-logs",
  access: "admin",
  area: "users",
  summary: "List activities of all app users",
  description: "Newest first. Only the last 90 days: older activities are archived. The items are the rows of the " +
    "Realtime topic `live-user-activity`.",
  query: UserActivitiesQuery,
  reply: [200, UserActivities],
  errors: [],
  calls: "admin_list_user_activities",
});
