// How long `deno task import` takes for 100,000 rows of each format: first into an empty source, then again unchanged.
// deno run -A tests/bench/import.ts [rows]   (needs DB_URL, or the local platform)
import { join } from "node:path";
import process from "node:process";
import postgres from "postgres";
import { databaseUrl } from "../../tools/importer/database.ts";
import { importFile } from "../../tools/importer/run.ts";

const ROWS = Number(Deno.args[0] ?? 100_000);
const SOURCE = "bench_import";

interface BenchLot {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly lat: number;
  readonly lng: number;
  readonly total_spaces: number;
  readonly max_height_m: number | null;
}

function lotOf(index: number): BenchLot {
  return {
    id: `bench-${index}`,
    name: `計測用駐車場 ${index}`,
    address: `東京都千代田区丸の内${1 + index % 3}丁目${1 + index % 28}-${1 + index % 17}`,
    lat: Number((35 + (index * 7919 % 100_003) / 100_003).toFixed(6)),
    lng: Number((139 + (index * 104_729 % 100_019) / 100_019).toFixed(6)),
    total_spaces: index % 300,
    max_height_m: index % 3 === 0 ? 2.1 : null,
  };
}

const FORMATS = {
  ndjson: { start: "", row: (lot: BenchLot) => `${JSON.stringify(lot)}\n`, end: "" },
  csv: {
    start: "id,name,address,lat,lng,total_spaces,max_height_m\n",
    row: (lot: BenchLot) => `${Object.values(lot).map((cell) => cell ?? "").join(",")}\n`,
    end: "",
  },
  geojson: {
    start: '{"type":"FeatureCollection","features":[\n',
    row: ({ id, lat, lng, ...properties }: BenchLot, first: boolean) =>
      (first ? "" : ",\n") +
      JSON.stringify({ type: "Feature", id, geometry: { type: "Point", coordinates: [lng, lat] }, properties }),
    end: "\n]}\n",
  },
} as const;

async function write(path: string, format: typeof FORMATS[keyof typeof FORMATS]): Promise<number> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const encoder = new TextEncoder();
  const put = (text: string) => writer.write(encoder.encode(text));
  await put(format.start);
  for (let index = 0; index < ROWS; index++) await put(format.row(lotOf(index), index === 0));
  await put(format.end);
  await writer.close();
  return (await Deno.stat(path)).size;
}

const url = await databaseUrl(undefined, true);
const sql = postgres(url, { max: 1, onnotice: () => {} });
const folder = await Deno.makeTempDir({ prefix: "import-bench-" });
try {
  console.log(`import of ${ROWS} rows   MB   first s   again s   peak memory MB`);
  for (const [extension, format] of Object.entries(FORMATS)) {
    const file = join(folder, `lots.${extension}`);
    const size = await write(file, format);
    await sql`delete from public.parking_lots where source = ${SOURCE}`;
    const options = { file, mapping: "parking_lots", source: SOURCE, licence: "CC0-1.0", quiet: true };
    const first = await importFile(url, options);
    const again = await importFile(url, options);
    if (first.counts.inserted !== ROWS || again.counts.unchanged !== ROWS) {
      throw new Error(`Counts are wrong: ${JSON.stringify([first.counts, again.counts])}`);
    }
    const memory = process.resourceUsage().maxRSS / 1024;
    console.log(
      [
        extension.padEnd(20),
        (size / 1e6).toFixed(1).padStart(5),
        first.seconds.toFixed(2).padStart(9),
        again.seconds.toFixed(2).padStart(9),
        memory.toFixed(0).padStart(15),
      ].join(" "),
    );
  }
} finally {
  await sql`delete from public.parking_lots where source = ${SOURCE}`;
  await sql.end();
  await Deno.remove(folder, { recursive: true });
}
