import { ApiError } from "../_shared/errors.ts";
import { route } from "../_shared/http/route.ts";
import {
  ComposedNotification,
  ComposedNotificationParams,
  ComposedNotifications,
  ComposedNotificationsQuery,
  ComposedNotificationUpdate,
  NewComposedNotification,
  NotificationFunnel,
  NotificationReach,
  SendNotification,
  SentNotification,
  TestedNotification,
  UndeliveredDevices,
  UndeliveredDevicesQuery,
} from "./user_notifications.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listUserNotifications = route({
  method: "GET",
  path: "/admin/user-notifications",
  access: "admin",
  area: "notifications",
  summary: "List composed notifications",
  description: "Newest first.",
  query: ComposedNotificationsQuery,
  reply: [200, ComposedNotifications],
  errors: [],
  calls: "admin_list_user_notifications",
});

export const createUserNotification = route({
  method: "POST",
  path: "/admin/user-notifications",
  access: "admin",
  area: "notifications",
  summary: "Compose a notification",
  description: "Creates a draft. With `scheduled_at`, the notification is sent automatically at that time.",
  body: NewComposedNotification,
  reply: [201, ComposedNotification],
  errors: [],
  isVersioned: true,
  calls: "admin_create_user_notification",
  args: ({ body }) => ({ notification: body }),
});

export const previewUserNotification = route({
  method: "POST",
  path: "/admin/user-notifications/preview",
  access: "admin",
  area: "notifications",
  summary: "Count the recipients of a notification",
  description: "Nothing is stored.",
  body: NewComposedNotification,
  reply: [200, NotificationReach],
  errors: [],
  calls: "admin_preview_user_notification",
  args: ({ body }) => ({ notification: body }),
});

export const readUserNotification = route({
  method: "GET",
  path: "/admin/user-notifications/{id}",
  access: "admin",
  area: "notifications",
  summary: "Get a composed notification",
  params: ComposedNotificationParams,
  reply: [200, ComposedNotification],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_read_user_notification",
});

export const updateUserNotification = route({
  method: "PATCH",
  path: "/admin/user-notifications/{id}",
  access: "admin",
  area: "notifications",
  summary: "Update a draft or a scheduled notification",
  description: "A draft with `scheduled_at` becomes scheduled.",
  params: ComposedNotificationParams,
  body: ComposedNotificationUpdate,
  reply: [200, ComposedNotification],
  errors: ["not_found", "conflict", "precondition_failed"],
  isVersioned: true,
  calls: "admin_update_user_notification",
  args: ({ params, body, ifMatch }) => ({ id: params.id, changes: body, if_match: ifMatch }),
});

export const deleteUserNotification = route({
  method: "DELETE",
  path: "/admin/user-notifications/{id}",
  access: "admin",
  area: "notifications",
  summary: "Delete a draft or a scheduled notification",
  params: ComposedNotificationParams,
  reply: [204, Nothing],
  errors: ["not_found", "conflict", "precondition_failed"],
  calls: "admin_delete_user_notification",
  args: ({ params, ifMatch }) => ({ id: params.id, if_match: ifMatch }),
});

export const sendUserNotification = route({
  method: "POST",
  path: "/admin/user-notifications/{id}/send",
  access: "admin",
  area: "notifications",
  summary: "Send a notification now",
  description:
    "Inboxes are filled and pushes are sent after the response. The status is `sending` until every device has an " +
    "outcome, which may last until the last quiet hours end (`deferred_count`). Sending again returns 409 `conflict`.",
  params: ComposedNotificationParams,
  body: SendNotification,
  isBodyOptional: true,
  reply: [202, SentNotification],
  errors: ["not_found", "conflict"],
  calls: "admin_send_user_notification",
  handle: ({ db, params, body }) => {
    if (body.id !== undefined && body.id.toLowerCase() !== params.id.toLowerCase()) {
      throw ApiError.ofFields([{
        param: "id",
        code: "invalid_value",
        message: "Must be equal to the id in the path, or be left out.",
      }]);
    }
    return db.rpc("admin_send_user_notification", params);
  },
});

export const cancelUserNotification = route({
  method: "POST",
  path: "/admin/user-notifications/{id}/cancel",
  access: "admin",
  area: "notifications",
  summary: "Cancel a draft or a scheduled notification",
  params: ComposedNotificationParams,
  reply: [200, ComposedNotification],
  errors: ["not_found", "conflict"],
  calls: "admin_cancel_user_notification",
});

export const testUserNotification = route({
  method: "POST",
  path: "/admin/user-notifications/{id}/test",
  access: "admin",
  area: "notifications",
  summary: "Send a test notification to the caller's own devices",
  description: "For administrators who also use the app with the same account. For others the response has 0 devices.",
  params: ComposedNotificationParams,
  reply: [200, TestedNotification],
  errors: ["not_found"],
  calls: "admin_test_user_notification",
});

export const readNotificationFunnel = route({
  method: "GET",
  path: "/admin/user-notifications/{id}/funnel",
  access: "admin",
  area: "notifications",
  summary: "Get what became of a notification",
  description: "From the audience to the opened inboxes. All numbers of a draft are 0.",
  params: ComposedNotificationParams,
  reply: [200, NotificationFunnel],
  errors: ["not_found"],
  calls: "admin_read_notification_funnel",
});

export const listUndeliveredDevices = route({
  method: "GET",
  path: "/admin/user-notifications/{id}/undelivered-devices",
  access: "admin",
  area: "notifications",
  summary: "List the devices that did not get a notification",
  description: "By outcome. Outcomes are kept for 30 days.",
  params: ComposedNotificationParams,
  query: UndeliveredDevicesQuery,
  reply: [200, UndeliveredDevices],
  errors: ["not_found"],
  calls: "admin_list_undelivered_devices",
});
