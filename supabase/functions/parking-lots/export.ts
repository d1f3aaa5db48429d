import { LOT_FORMATS } from "../_shared/formats/formats.ts";
import type { ExportedLot } from "../_shared/formats/lot.ts";
import { type EndLine, pagesAsLines } from "../_shared/http/lines.ts";
import { route, Streamed } from "../_shared/http/route.ts";
import { LotExport, LotExportQuery, MAX_EXPORTED } from "./export.schema.ts";

interface Page {
  readonly items: readonly ExportedLot[];
  readonly next_cursor: string | null;
}

/** Page size of the database. */
const PAGE = 500;
const END: EndLine = { next_cursor: null, has_more: false };

export const exportParkingLots = route({
  method: "GET",
  path: "/parking-lots/export",
  access: "optional",
  summary: "Export parking lots in another format",
  description:
    `Public lots by id, up to ${MAX_EXPORTED} in a response. \`next_cursor\` continues. With \`Accept: application/x-ndjson\` ` +
    "the response consists of lines: a lot each, then `{next_cursor, has_more}` if there are more. If the stream fails, " +
    "the connection is aborted.",
  query: LotExportQuery,
  reply: [200, LotExport],
  isStreamed: true,
  errors: ["forbidden"],
  // Each request is counted, which a replica cannot do.
  isExpensive: () => true,
  instance: "primary",
  calls: "export_parking_lots",
  handle: ({ db, query: { format: name, ids, limit, cursor } }) => {
    const { head, list, mediaType, write } = LOT_FORMATS[name];

    async function* values() {
      const lots = pagesAsLines<ExportedLot>(
        { limit, pageSize: PAGE, cursor },
        (page) => db.rpc<Page>("export_parking_lots", { ids, ...page }),
      );
      for await (const lot of lots) yield "has_more" in lot ? lot : write(lot);
    }

    async function* text() {
      // The first page is read before anything is written: its error is the response.
      let separator = `${JSON.stringify({ ...head, [list]: [] }).slice(0, -2)}`;
      let end = END;
      for await (const value of values()) {
        if ("has_more" in value) end = value as EndLine;
        else {
          yield separator + JSON.stringify(value);
          separator = ",";
        }
      }
      yield `${separator === "," ? "" : separator}],${JSON.stringify(end).slice(1)}`;
    }

    return new Streamed(text, values, mediaType);
  },
});
