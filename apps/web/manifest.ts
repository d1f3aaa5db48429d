// The icons of phones, and the manifest that names them. `deno task shots icons` draws the icons from icon.svg.
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ICONS = fileURLToPath(new URL("icons/", import.meta.url));
/** The ground of the mark. */
const GROUND = "#0b6b4f";

/** Copies the icons and writes the manifest. */
export async function writeManifest(folder: string, name: string): Promise<void> {
  for (const { name } of Deno.readDirSync(ICONS)) await Deno.copyFile(join(ICONS, name), join(folder, name));
  const manifest = {
    name,
    short_name: name,
    start_url: "./",
    scope: "./",
    display: "standalone",
    background_color: GROUND,
    theme_color: GROUND,
    icons: [
      { src: "icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "icon-512.png", sizes: "512x512", type: "image/png" },
      { src: "icon-whole-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
      { src: "icon.svg", sizes: "any", type: "image/svg+xml" },
    ],
  };
  await Deno.writeTextFile(join(folder, "app.webmanifest"), JSON.stringify(manifest));
}
