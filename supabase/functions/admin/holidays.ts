import { route } from "../_shared/http/route.ts";
import { Holiday, HolidayChanges, HolidayParams, Holidays, HolidaysQuery, NewHoliday } from "./holidays.schema.ts";
import { Nothing } from "../_shared/schema/values.ts";

export const listHolidays = route({
  method: "GET",
  path: "/admin/holidays",
  access: "admin",
  area: "content",
  summary: "List public holidays",
  description: "Sorted by calendar and date.",
  query: HolidaysQuery,
  reply: [200, Holidays],
  errors: [],
  calls: "admin_list_holidays",
});

export const createHoliday = route({
  method: "POST",
  path: "/admin/holidays",
  access: "admin",
  area: "content",
  summary: "Add a public holiday",
  description:
    "Opening hours and fees of all lots with this calendar change immediately. Returns 409 `conflict` with " +
    "`details.reason` `already_exists` if the calendar has a holiday on this date.",
  body: NewHoliday,
  reply: [201, Holiday],
  errors: ["conflict"],
  calls: "admin_create_holiday",
  args: ({ body }) => ({ holiday: body }),
});

export const readHoliday = route({
  method: "GET",
  path: "/admin/holidays/{calendar}/{holiday_date}",
  access: "admin",
  area: "content",
  summary: "Get a public holiday",
  params: HolidayParams,
  reply: [200, Holiday],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_get_holiday",
});

export const changeHoliday = route({
  method: "PATCH",
  path: "/admin/holidays/{calendar}/{holiday_date}",
  access: "admin",
  area: "content",
  summary: "Rename a public holiday",
  description: "To change the date, delete the holiday and add a new one.",
  params: HolidayParams,
  body: HolidayChanges,
  reply: [200, Holiday],
  errors: ["not_found", "conflict"],
  isVersioned: true,
  calls: "admin_update_holiday",
  args: ({ params, body, ifMatch }) => ({ ...params, changes: body, if_match: ifMatch }),
});

export const deleteHoliday = route({
  method: "DELETE",
  path: "/admin/holidays/{calendar}/{holiday_date}",
  access: "admin",
  area: "content",
  summary: "Delete a public holiday",
  description: "Opening hours and fees of all lots with this calendar change immediately.",
  params: HolidayParams,
  reply: [204, Nothing],
  errors: ["not_found"],
  isVersioned: true,
  calls: "admin_delete_holiday",
});
