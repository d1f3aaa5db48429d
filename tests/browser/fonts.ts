// The font of the pictures: it has Japanese letters, and the pictures are the same on every machine. It comes from an npm
// package that is fetched when pictures are taken.
import { join } from "node:path";
import { STATE } from "../../local/settings.ts";

const PACKAGE = "@expo-google-fonts/noto-sans-jp";
const VERSION = "0.4.3";
const FOLDER = join(STATE, "browser", "fonts");

/** The configuration of a browser that has Noto Sans JP and no other font. */
export async function fontConfiguration(): Promise<string> {
  await Deno.mkdir(FOLDER, { recursive: true });
  const config = join(FOLDER, "deno.json");
  await Deno.writeTextFile(
    config,
    JSON.stringify({ nodeModulesDir: "auto", imports: { font: `npm:${PACKAGE}@${VERSION}` } }),
  );
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--no-lock", `--config=${config}`],
    cwd: FOLDER,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${PACKAGE} could not be fetched:\n${new TextDecoder().decode(stderr)}`);
  const fonts = join(FOLDER, "node_modules", PACKAGE);
  const file = join(FOLDER, "fonts.conf");
  await Deno.writeTextFile(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}/400Regular</dir>
  <dir>${fonts}/700Bold</dir>
  <cachedir>${FOLDER}/cache</cachedir>
</fontconfig>
`,
  );
  return file;
}
