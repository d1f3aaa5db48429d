/** `deno task openapi`: writes the files that are generated from the routes and the error catalogue (generated.ts). */
import { generatedFiles } from "./generated.ts";

for (const { file, text } of await generatedFiles()) {
  await Deno.mkdir(new URL(".", file), { recursive: true });
  await Deno.writeTextFile(file, text);
  console.log(`wrote ${file.pathname.split("/").slice(-2).join("/")}`);
}
