import { route } from "../_shared/http/route.ts";
import { mapRows } from "../_shared/import/rows.ts";
import { LotImport, LotImportReport } from "./parking_lot_import.schema.ts";

export const importLots = route({
  method: "POST",
  path: "/admin/parking-lots/import",
  access: "admin",
  area: "lots",
  summary: "Import parking lots",
  description:
    "Creates and updates up to 1,000 lots of a source by their `external_id`, in one transaction. Repeating the " +
    "import changes nothing. If a lot is rejected, no lot is written and `details.errors` lists up to 100 errors. " +
    "With `partial`, valid lots are still written. `dry_run` returns the report without writing. The activity log " +
    "gets one entry for the whole import. The body has at most 4 MiB.",
  body: LotImport,
  bodyLimit: 4 * 1024 * 1024,
  reply: [200, LotImportReport],
  errors: [],
  calls: "admin_import_parking_lots",
  args: ({ body }) => ({ ...body, lots: mapRows(body.lots) }),
});
