// The built package in an app of its own, whose program is the examples of client/README.md.
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { VERSION } from "../../supabase/functions/_shared/config.ts";
import { build } from "../../client/scripts/build.ts";
import { folderOf } from "../../tools/packages/installed.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = Deno.readTextFileSync(new URL("client/README.md", ROOT));

/** The names that the page leaves to the app. */
export interface Values {
  readonly publishableKey: string;
  readonly email: string;
  readonly password: string;
  readonly lat: number;
  readonly lng: number;
}

export interface App extends AsyncDisposable {
  readonly folder: string;
  readonly program: string;
}

/** Before it ends, the program waits for a notification with this title. */
export const TITLE = "From the test";
const SHOW = `
let onEvent = () => {};
const isShown = new Promise((resolve) => onEvent = () => resolve(undefined));
function show(text = "") {
  console.log(text);
  if (text === "insert: ${TITLE}") onEvent();
}
`;

/** Checks the lines that the program printed, and returns the asset id of the file that it uploaded. */
export function uploadedBy(shown: string[], lot: string): string {
  const isLive = (line: string) => /^(inbox|insert): |^sent |unread/.test(line);
  const lines = shown.filter((line) => !isLive(line));
  const asset = /^uploaded: (\S+)$/.exec(lines.at(-1) ?? "")?.[1];
  assert.ok(asset, shown.join("\n"));
  assert.deepEqual(lines.slice(0, -1).map((line) => line.replace(/request \S+$/, "request")), [
    "Lot of the example: 600 JPY",
    "paid: 200 JPY",
    "fits: unknown",
    "validation_error exit_at, request",
    `saved: ${lot}`,
    `in the list: ${lot}`,
    "exported: Lot of the example",
  ]);
  // The user has also earned badges.
  const live = shown.filter((line) => isLive(line) && (!/^(insert|sent)/.test(line) || line.endsWith(TITLE)));
  assert.deepEqual(live.map((line) => line.replaceAll(/\d+/g, "n")), [
    "inbox: connecting",
    "n unread, n shown",
    "inbox: live",
    "n unread, n shown",
    `insert: ${TITLE}`,
  ]);
  return asset;
}

/** Builds the package into a folder for apps of Node and of Deno. `main.ts` is the program for Deno, `main.mjs` for Node. */
export async function readmeApp(apiUrl = "http://127.0.0.1:9"): Promise<App> {
  const folder = await Deno.makeTempDir();
  const packages = `${folder}/node_modules`;
  const own = new URL(`file://${packages}/parking-lot-client/`);
  await build(new URL("dist/", own));
  await Deno.copyFile(new URL("client/package.json", ROOT), new URL("package.json", own));
  const library = await folderOf("@supabase/supabase-js", import.meta.resolve("@supabase/supabase-js"));
  await Deno.symlink(dirname(library), `${packages}/@supabase`);
  await Deno.symlink(
    await folderOf("openapi-fetch", import.meta.resolve("openapi-fetch")),
    `${packages}/openapi-fetch`,
  );
  const blocks = [...PAGE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  const program = [
    "const { publishableKey, email, password, lat, lng } = JSON.parse(process.env.VALUES ?? '{}');\n",
    "const bytes = new Uint8Array(200);\n",
    SHOW,
    ...blocks,
    "await isShown;\nawait inbox.close();\n",
    "process.exit(0);\n",
  ].join("").replaceAll("http://127.0.0.1:54321", apiUrl);
  await Deno.writeTextFile(`${folder}/main.ts`, program);
  await Deno.writeTextFile(`${folder}/main.mjs`, program);
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ nodeModulesDir: "manual" }));
  const dependencies = { "parking-lot-client": VERSION, "@supabase/supabase-js": "2" };
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ type: "module", dependencies }));
  return { folder, program, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}
