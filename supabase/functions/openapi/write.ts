/** `deno task openapi`: writes what is generated from the routes and the table of codes (generated.ts). */
import { generatedFiles } from "./generated.ts";

for (const { file, text } of generatedFiles()) {
  await Deno.writeTextFile(file, text);
  console.log(`wrote ${file.pathname.split("/").slice(-2).join("/")}`);
}
