// The built package in an app of its own, whose program is the examples of client/README.md.
import { VERSION } from "../../supabase/functions/_shared/config.ts";
import { build } from "../../client/scripts/build.ts";

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

/** Builds the package into a folder for apps of Node and of Deno. `main.ts` is the program for Deno, `main.mjs` for Node. */
export async function readmeApp(
  { apiUrl, functionsUrl } = { apiUrl: "http://127.0.0.1:9", functionsUrl: "http://127.0.0.1:9/functions" },
): Promise<App> {
  const folder = await Deno.makeTempDir();
  const packages = `${folder}/node_modules`;
  const own = new URL(`file://${packages}/parking-lot-client/`);
  await build(new URL("dist/", own));
  await Deno.copyFile(new URL("client/package.json", ROOT), new URL("package.json", own));
  for (const name of ["openapi-fetch", "@supabase", "ws"]) {
    await Deno.symlink(await Deno.realPath(new URL(`node_modules/${name}`, ROOT)), `${packages}/${name}`);
  }
  const blocks = [...PAGE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  const program = [
    "const { publishableKey, email, password, lat, lng } = JSON.parse(process.env.VALUES ?? '{}');\n",
    "const bytes = new Uint8Array(200);\n",
    SHOW,
    ...blocks,
    "await isShown;\nawait inbox.close();\n",
    "process.exit(0);\n",
  ].join("").replaceAll("http://127.0.0.1:54321/functions", functionsUrl).replaceAll("http://127.0.0.1:54321", apiUrl);
  await Deno.writeTextFile(`${folder}/main.ts`, program);
  // supabase-js needs a WebSocket, which Node 20 does not have.
  await Deno.writeTextFile(`${folder}/main.mjs`, `import ws from "ws";\nglobalThis.WebSocket ??= ws;\n${program}`);
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ nodeModulesDir: "manual" }));
  const dependencies = { "parking-lot-client": VERSION, "@supabase/supabase-js": "2" };
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ type: "module", dependencies }));
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}
