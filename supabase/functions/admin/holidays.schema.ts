import { z } from "zod";
import { holidays } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { sharedParameters } from "../_shared/schema/parameters.ts";
import { HolidayCalendar, Timestamp } from "../_shared/schema/values.ts";

const Calendar = HolidayCalendar.meta({
  description: "An ISO 3166 country or subdivision. A lot refers to it by `holiday_calendar`.",
});

const HolidayDate = z.iso.date().meta({ examples: ["2027-01-01"] });

export const Holiday = z.object({
  calendar: Calendar,
  holiday_date: HolidayDate,
  name: z.string().meta({ description: "Name in the language of the calendar", examples: ["元日"] }),
  name_en: z.string().nullable().meta({ examples: ["New Year's Day"] }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Holiday" });

export const Holidays = pageOf(Holiday, "Holidays");

export const HolidaysQuery = z.strictObject({
  calendar: Calendar.optional(),
  from: HolidayDate.optional().meta({ description: "Only holidays on or after this date" }),
  to: HolidayDate.optional().meta({ description: "Only holidays on or before this date" }),
  ...PageQuery.shape,
});

export const HolidayParams = z.strictObject({
  calendar: Calendar.register(sharedParameters, { id: "Calendar" }),
  holiday_date: HolidayDate.meta({ description: "The day of the holiday" }).register(sharedParameters, {
    id: "HolidayDate",
  }),
});

export const HolidayChanges = z.strictObject({ name: column(holidays.name), name_en: column(holidays.name_en) })
  .partial().meta({
    id: "HolidayChanges",
  });

export const NewHoliday = HolidayChanges.required({ name: true }).extend({
  calendar: Calendar,
  holiday_date: HolidayDate,
}).meta({ id: "NewHoliday" });
