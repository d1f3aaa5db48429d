// Builds the web application into a folder for any static host (`deno task web`): the page, its modules, one style sheet
// and the settings.
//
//   deno task web --api https://<project>.supabase.co --key <publishable key> [--storage-origin <origin>]... [--out apps/web/dist]
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { replaceFolder } from "../replace_folder.ts";
import { contentSecurityPolicy } from "./security_policy.ts";
import type { Settings } from "./src/settings.ts";

const WEB = dirname(fileURLToPath(import.meta.url));
const PACKAGES = join(WEB, "..", "..", "node_modules");

/** Choices of a base map. Their providers ask for the attribution. */
const BASE_MAPS: Settings["baseMaps"] = [
  {
    id: "gsi",
    name: "地理院タイル",
    url: "https://cyberjapandata.gsi.go.jp/xyz/pale/{z}/{x}/{y}.png",
    attribution: "国土地理院",
    maxZoom: 18,
  },
  {
    id: "osm",
    name: "OpenStreetMap",
    url: "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
    attribution: "© OpenStreetMap contributors",
    maxZoom: 19,
  },
];

/** The settings with the defaults; `api` and `key` are those of the project. */
export function settingsOf(given: Pick<Settings, "api" | "key"> & Partial<Settings>): Settings {
  return { storageOrigins: [], baseMaps: BASE_MAPS, start: { lat: 35.6812, lng: 139.7671, zoom: 14 }, ...given };
}

/** Writes the application to a folder and removes what was there. */
export function build(folder: string, settings: Settings): Promise<void> {
  return replaceFolder(folder, async (next) => {
    await bundle(next);
    await Deno.writeTextFile(join(next, "style.css"), await styles());
    await Deno.writeTextFile(join(next, "settings.json"), JSON.stringify(settings));
    await Deno.copyFile(join(WEB, "icon.svg"), join(next, "icon.svg"));
    await Deno.writeTextFile(join(next, "index.html"), await page(settings));
  });
}

async function bundle(folder: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--platform=browser",
      "--minify",
      "--code-splitting",
      `--outdir=${folder}`,
      join(WEB, "src", "main.tsx"),
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`The web application could not be bundled:\n${new TextDecoder().decode(stderr)}`);
}

/** The style sheets of the libraries, of the frame and of the pages, as one. */
async function styles(): Promise<string> {
  const own: string[] = [];
  for (const folder of [join(WEB, "styles"), join(WEB, "src")]) {
    own.push(...(await files(folder)).filter((path) => path.endsWith(".css")).sort());
  }
  const libraries = ["maplibre-gl/dist/maplibre-gl.css", "uplot/dist/uPlot.min.css"].map((name) =>
    join(PACKAGES, name)
  );
  return (await Promise.all([...libraries, ...own].map((path) => Deno.readTextFile(path)))).join("\n");
}

/** All files below a folder. */
export async function files(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    found.push(...isDirectory ? await files(path) : [path]);
  }
  return found;
}

/** The page with its policy, for hosts that send no headers of their own. */
async function page(settings: Settings): Promise<string> {
  const html = await Deno.readTextFile(join(WEB, "index.html"));
  const policy = contentSecurityPolicy(settings).replaceAll('"', "&quot;");
  return html.replace(
    '<meta charset="utf-8">',
    (meta) => `${meta}\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      api: { type: "string", default: "" },
      key: { type: "string" },
      "storage-origin": { type: "string", multiple: true, default: [] },
      out: { type: "string", default: join(WEB, "dist") },
    },
  });
  if (values.key === undefined) {
    console.error(
      "Usage: deno task web --api <address of the project> --key <publishable key> [--storage-origin <origin>]... [--out <folder>]",
    );
    Deno.exit(1);
  }
  await build(values.out, settingsOf({ api: values.api, key: values.key, storageOrigins: values["storage-origin"] }));
  console.log(`wrote ${values.out}`);
}
