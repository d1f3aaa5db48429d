import { contentRoutes } from "./content_routes.ts";
import { Holiday, HolidayChanges, HolidayParams, Holidays, HolidaysQuery, NewHoliday } from "./holidays.schema.ts";

export const {
  list: listHolidays,
  create: createHoliday,
  read: readHoliday,
  change: changeHoliday,
  remove: deleteHoliday,
} = contentRoutes({
  path: "/admin/holidays",
  area: "content",
  params: HolidayParams,
  item: Holiday,
  list: {
    calls: "admin_list_holidays",
    query: HolidaysQuery,
    page: Holidays,
    summary: "List public holidays",
    description: "Sorted by calendar and date.",
  },
  create: {
    calls: "admin_create_holiday",
    as: "holiday",
    body: NewHoliday,
    errors: ["conflict"],
    summary: "Add a public holiday",
    description:
      "Opening hours and fees of all lots with this calendar change immediately. Returns 409 `conflict` with " +
      "`details.reason` `already_exists` if the calendar has a holiday on this date.",
  },
  read: { calls: "admin_get_holiday", summary: "Get a public holiday" },
  change: {
    calls: "admin_update_holiday",
    body: HolidayChanges,
    errors: ["conflict"],
    summary: "Rename a public holiday",
    description: "To change the date, delete the holiday and add a new one.",
  },
  remove: {
    calls: "admin_delete_holiday",
    summary: "Delete a public holiday",
    description: "Opening hours and fees of all lots with this calendar change immediately.",
  },
});
