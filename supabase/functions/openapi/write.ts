/** `deno task openapi`: writes what is printed from the routes and the table of codes (printed.ts). */
import { printed } from "./printed.ts";

for (const { file, text } of printed()) {
  await Deno.writeTextFile(file, text);
  console.log(`wrote ${file.pathname.split("/").slice(-2).join("/")}`);
}
