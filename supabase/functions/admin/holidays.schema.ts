import { z } from "zod";
import { Cursor, IncludeTotal, Limit, NextCursor, Total } from "../_shared/schema/lists.ts";
import { text, Timestamp } from "../_shared/schema/values.ts";

const Calendar = z.string().regex(/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/).meta({
  description: "An ISO 3166 country or subdivision; `holiday_calendar` of a lot names it",
  examples: ["JP"],
});

const HolidayDate = z.iso.date().meta({ examples: ["2027-01-01"] });

export const Holiday = z.object({
  calendar: Calendar,
  holiday_date: HolidayDate,
  name: z.string().meta({ description: "In the language of the calendar", examples: ["元日"] }),
  name_en: z.string().nullable().meta({ examples: ["New Year's Day"] }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Holiday" });

export const Holidays = z.object({ items: z.array(Holiday), next_cursor: NextCursor, total: Total }).meta({
  id: "Holidays",
});

export const HolidaysQuery = z.strictObject({
  calendar: Calendar.optional(),
  from: HolidayDate.optional().meta({ description: "On this date or later" }),
  to: HolidayDate.optional().meta({ description: "On this date or earlier" }),
  limit: Limit,
  cursor: Cursor,
  include: IncludeTotal,
});

export const HolidayParams = z.strictObject({ calendar: Calendar, holiday_date: HolidayDate });

export const HolidayChanges = z.strictObject({ name: text(1, 200), name_en: text(1, 200).nullable() }).partial().meta({
  id: "HolidayChanges",
});

export const NewHoliday = HolidayChanges.required({ name: true }).extend({
  calendar: Calendar,
  holiday_date: HolidayDate,
}).meta({ id: "NewHoliday" });
