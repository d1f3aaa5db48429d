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
    "Creates and changes up to 1,000 lots of a source by their `external_id`, in one transaction. The same " +
    "again changes nothing. When a lot is rejected no lot is written, and `details.errors` says why, up to 100 errors; " +
    "with `partial` the others are written. `dry_run` gives the report and writes nothing. One act is on record for " +
    "the whole import. The body has at most 4 MiB.",
  body: LotImport,
  bodyLimit: 4 * 1024 * 1024,
  reply: [200, LotImportReport],
  errors: [],
  handle: ({ db, body }) => db.rpc("admin_import_parking_lots", { ...body, lots: mapRows(body.lots) }),
});
