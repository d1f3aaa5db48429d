// Builds the web application into a folder for any static host (`deno task web`): the page, its modules, one style sheet,
// the settings, the manifest with its icons, and the service worker.
//
//   deno task web --api https://<project>.supabase.co --key <publishable key> [--name <name>] [--storage-origin <origin>]...
//     [--streets <PMTiles file or address>] [--streets-attribution <text>] [--layers <PMTiles file or address>] [--out apps/web/dist]
import { createHash } from "node:crypto";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { hashNames } from "../hashed_names.ts";
import { replaceFolder } from "../replace_folder.ts";
import { writeManifest } from "./manifest.ts";
import { contentSecurityPolicy } from "./security_policy.ts";
import type { Settings } from "./src/settings.ts";

const WEB = dirname(fileURLToPath(import.meta.url));

/** Another map that viewers can choose. Its provider asks for the attribution. */
const BASE_MAPS: Settings["baseMaps"] = [
  {
    id: "gsi",
    name: "地理院タイル",
    url: "https://cyberjapandata.gsi.go.jp/xyz/pale/{z}/{x}/{y}.png",
    attribution: "国土地理院",
    maxZoom: 18,
  },
];

/** The map of Japan, which `deno task basemap` makes. */
const LAYERS = new URL("./basemap/japan.pmtiles", import.meta.url).href;

/**
 * The settings with the defaults; `api` and `key` are those of the project. `layers` and the address of `streets` can be
 * `file:` addresses: the build copies these files.
 */
export function settingsOf(given: Pick<Settings, "api" | "key"> & Partial<Settings>): Settings {
  return {
    name: "Tomeru",
    layers: LAYERS,
    storageOrigins: [],
    baseMaps: BASE_MAPS,
    start: { lat: 35.6812, lng: 139.7671, zoom: 14 },
    ...given,
  };
}

/** Writes the application to a folder and removes what was there, unless it is there already. */
export function build(folder: string, settings: Settings): Promise<void> {
  return replaceFolder(folder, async (next) => {
    await bundle(next, ["--code-splitting", ...ENTRIES.map((name) => join(WEB, "src", name))]);
    await writeStyles(next);
    await Deno.writeTextFile(join(next, "settings.json"), JSON.stringify(await withTileFiles(next, settings)));
    await Deno.copyFile(join(WEB, "icon.svg"), join(next, "icon.svg"));
    await Deno.writeTextFile(join(next, "index.html"), await page(next, settings));
    await hashNames(next);
    await writeManifest(next, settings.name);
    await writeServiceWorker(next);
  });
}

/** Copies the tile files of this machine, and names the copies. */
async function withTileFiles(folder: string, settings: Settings): Promise<Settings> {
  const copy = async (address: string): Promise<string> => {
    if (!address.startsWith("file:")) return address;
    const path = fileURLToPath(address);
    const bytes = await Deno.readFile(path);
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
    const name = `${basename(path, extname(path)).replaceAll(/[^\w-]/g, "_")}-${hash}.pmtiles`;
    await Deno.writeFile(join(folder, name), bytes);
    return name;
  };
  const { layers, streets } = settings;
  return {
    ...settings,
    layers: await copy(layers),
    ...(streets ? { streets: { ...streets, url: await copy(streets.url) } } : {}),
  };
}

/** The modules of the page: what is requested first, and the application. */
const ENTRIES = ["preload.ts", "main.tsx"];

async function bundle(folder: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      `--config=${join(WEB, "deno.json")}`,
      "--platform=browser",
      "--minify",
      `--outdir=${folder}`,
      ...args,
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`The web application could not be bundled:\n${new TextDecoder().decode(stderr)}`);
}

/** The style sheets of the frame and of the pages, as one. Modules bring those of libraries and of the console. */
async function writeStyles(folder: string): Promise<void> {
  const paths: string[] = [];
  for (const part of [join(WEB, "styles"), join(WEB, "src", "pages"), join(WEB, "src", "ui")]) {
    paths.push(...(await files(part)).filter((path) => path.endsWith(".css")).sort());
  }
  const whole = join(await Deno.makeTempDir(), "style.css");
  await Deno.writeTextFile(whole, (await Promise.all(paths.map((path) => Deno.readTextFile(path)))).join("\n"));
  await bundle(folder, [whole]);
  await Deno.remove(dirname(whole), { recursive: true });
}

/** A module of the build and those that it imports at once, in the order in which they are found. */
export async function withImports(folder: string, name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const code = await Deno.readTextFile(join(folder, name));
  for (const [, imported] of code.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    await withImports(folder, imported!, found);
  }
  return found;
}

/** Writes the service worker with the names of the files that it keeps, and their version into the page. */
async function writeServiceWorker(folder: string): Promise<void> {
  const scripts = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".js"));
  // Those who work with the console have a connection.
  const ofConsole = new Set(scripts.filter((name) => name.startsWith("console")));
  const html = await Deno.readTextFile(join(folder, "index.html"));
  const [style] = html.match(/style-\w+\.css/)!;
  const kept = [
    ...scripts.filter((name) => !ofConsole.has(name)).sort(),
    style,
    "icon.svg",
    "settings.json",
    "app.webmanifest",
  ];
  const hash = createHash("sha256").update(html);
  for (const name of kept) hash.update(name).update(await Deno.readFile(join(folder, name)));
  const version = hash.digest("hex").slice(0, 12);
  await Deno.writeTextFile(
    join(folder, "index.html"),
    html.replace("<title>", () => `<meta name="version" content="${version}">\n    <title>`),
  );
  await bundle(folder, [join(WEB, "worker", "service_worker.ts")]);
  const worker = join(folder, "service_worker.js");
  const build = JSON.stringify({ version, files: ["./", ...kept] });
  await Deno.writeTextFile(worker, `const BUILD=${build};\n${await Deno.readTextFile(worker)}`);
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

/** The page with its policy, for hosts that send no headers of their own, and with the modules that it needs first. */
async function page(folder: string, settings: Settings): Promise<string> {
  const html = await Deno.readTextFile(join(WEB, "index.html"));
  const policy = contentSecurityPolicy(settings).replaceAll('"', "&quot;");
  const mapPage = [...Deno.readDirSync(folder)].find(({ name }) => /^map_page-\w+\.js$/.test(name))!.name;
  const first = [...await withImports(folder, mapPage, await withImports(folder, "main.js"))];
  return html
    .replace(
      '<meta charset="utf-8">',
      (meta) => `${meta}\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
    )
    .replace(
      /( *)<link rel="modulepreload" href="main\.js">/,
      (_, space: string) => first.map((name) => `${space}<link rel="modulepreload" href="${name}">`).join("\n"),
    )
    .replace("<title></title>", () => `<title>${escaped(settings.name)}</title>`);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      api: { type: "string", default: "" },
      name: { type: "string" },
      key: { type: "string" },
      "storage-origin": { type: "string", multiple: true, default: [] },
      layers: { type: "string" },
      streets: { type: "string" },
      "streets-attribution": { type: "string", default: "© OpenStreetMap contributors" },
      out: { type: "string", default: join(WEB, "dist") },
    },
  });
  if (values.key === undefined) {
    console.error(
      "Usage: deno task web --api <address of the project> --key <publishable key> [--name <name>] [--storage-origin <origin>]... " +
        "[--streets <PMTiles file or address>] [--streets-attribution <text>] [--layers <PMTiles file or address>] [--out <folder>]",
    );
    Deno.exit(1);
  }
  const addressOf = (given: string) => /^https?:/.test(given) ? given : pathToFileURL(resolve(given)).href;
  const { api, key, name, layers, streets, "streets-attribution": attribution } = values;
  await build(
    values.out,
    settingsOf({
      api,
      key,
      storageOrigins: values["storage-origin"],
      ...(name === undefined ? {} : { name }),
      ...(layers === undefined ? {} : { layers: addressOf(layers) }),
      ...(streets === undefined ? {} : { streets: { url: addressOf(streets), attribution } }),
    }),
  );
  console.log(`wrote ${values.out}`);
}
