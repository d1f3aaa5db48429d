/** `deno task openapi`: writes what is printed from the routes and the table of codes, openapi.json, docs/errors.md and the routes in docs/admin.md. */
import { printed } from "./printed.ts";

for (const { file, text } of printed()) {
  await Deno.writeTextFile(file, text);
  console.log(`wrote ${file.pathname.split("/").slice(-2).join("/")}`);
}
