/** Writes client/src/api.ts (part of `deno task openapi`). */
import { apiTypes, COMMITTED } from "./types.ts";

await Deno.writeTextFile(COMMITTED, await apiTypes({ descriptions: false }));
console.log("wrote client/src/api.ts");
