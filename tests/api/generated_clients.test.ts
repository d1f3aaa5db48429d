// A developer who has only GET /v1/openapi: two generators make clients of it, these compile under `strict`, and with their
// code alone an app finds a lot, knows its price, parks and ends the session.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { ROOT } from "../../local/settings.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { aPricedLot } from "./sessions.ts";

interface Generator {
  readonly name: string;
  generate(document: object, folder: string): Promise<unknown>;
  readonly options: ts.CompilerOptions;
  readonly program: string;
  /** A mistake in the program that the generated types must notice. */
  readonly mistake: readonly [right: string, wrong: string];
}

const values = "const { baseUrl, token, lat, lng, until } = JSON.parse(Deno.env.get('VALUES')!);\n";
const stay = "{ entry_at: new Date().toISOString(), exit_at: new Date(Date.now() + 45 * 60_000).toISOString() }";

const generators: readonly Generator[] = [
  {
    name: "openapi-typescript",
    async generate(document, folder) {
      const types = await openapiTS(document as Parameters<typeof openapiTS>[0], { defaultNonNullable: false });
      await Deno.writeTextFile(join(folder, "api.ts"), astToString(types));
    },
    options: { exactOptionalPropertyTypes: true },
    program: `import createClient from "openapi-fetch";
import type { paths } from "./api.ts";
${values}
const client = createClient<paths>({ baseUrl, headers: { Authorization: "Bearer " + token } });
const found = await client.GET("/v1/parking-lots/nearby", { params: { query: { lat, lng, radius_m: 500 } } });
const lot = found.data![0]!;
const listed = await client.GET("/v1/parking-lots", { params: { query: { ids: [lot.id] } } });
const params = { path: { id: lot.id } };
const fee = await client.POST("/v1/parking-lots/{id}/calc-fee", { params, body: ${stay} });
const started = await client.POST("/v1/parking-sessions", { body: { parking_lot_id: lot.id } });
const session = { path: { id: started.data!.session_id } };
const ended = await client.POST("/v1/parking-sessions/{id}/finalize", { params: session, body: { exit_at: until } });
const again = await client.POST("/v1/parking-sessions/{id}/finalize", { params, body: { exit_at: until } });
console.log(JSON.stringify([lot.name, listed.data!.items.length, fee.data!.total_amount, ended.data!.total_amount, again.error!.error.code]));
`,
    mistake: ["{ parking_lot_id: lot.id }", "{ lot_id: lot.id }"],
  },
  {
    name: "@hey-api/openapi-ts",
    generate: (document, folder) =>
      createClient({
        input: document as never,
        output: { path: join(folder, "api"), module: { extension: ".ts" } },
        plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
        logs: { level: "silent", file: false },
      }),
    // The generated runtime assigns undefined to optional properties.
    options: { exactOptionalPropertyTypes: false },
    program:
      `import { calculateFee, finalizeSession, nearbyParkingLots, searchParkingLots, startSession } from "./api/index.ts";
import { client } from "./api/client.gen.ts";
${values}
client.setConfig({ baseUrl, auth: token });
const found = await nearbyParkingLots({ query: { lat, lng, radius_m: 500 } });
const lot = found.data![0]!;
const listed = await searchParkingLots({ query: { ids: [lot.id] } });
const fee = await calculateFee({ path: { id: lot.id }, body: ${stay} });
const started = await startSession({ body: { parking_lot_id: lot.id } });
const ended = await finalizeSession({ path: { id: started.data!.session_id }, body: { exit_at: until } });
const again = await finalizeSession({ path: { id: lot.id }, body: { exit_at: until } });
console.log(JSON.stringify([lot.name, listed.data!.items.length, fee.data!.total_amount, ended.data!.total_amount, again.error!.error.code]));
`,
    mistake: ["{ parking_lot_id: lot.id }", "{ lot_id: lot.id }"],
  },
];

/** The errors of programs and of the code that they import. */
function typeErrors(programs: readonly string[], options: ts.CompilerOptions): string[] {
  const all: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    strict: true,
    types: [],
    noEmit: true,
    skipDefaultLibCheck: true,
    ...options,
  };
  return ts.getPreEmitDiagnostics(ts.createProgram(programs, all)).map((
    { file, messageText },
  ) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
}

for (const { name, generate, options, program, mistake } of generators) {
  const mode = `strict${options.exactOptionalPropertyTypes ? " with exactOptionalPropertyTypes" : ""}`;
  Deno.test(`GET /openapi: a client of ${name} compiles under ${mode}, finds a lot nearby and in a list, its fee, parks and ends the session`, async () => {
    const { functionsUrl } = stack();
    const folder = await Deno.makeTempDir();
    const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
    try {
      const document = await (await fetch(`${functionsUrl}/openapi`)).json();
      await generate(document, folder);
      await Deno.symlink(join(ROOT, "tests/api/node_modules"), join(folder, "node_modules"));
      await write("deno.d.ts", "declare const Deno: { env: { get(name: string): string | undefined } };\n");
      await write("deno.json", JSON.stringify({ nodeModulesDir: "manual" }));
      await write("package.json", JSON.stringify({ type: "module", dependencies: { "openapi-fetch": "*" } }));
      await write("main.ts", program);
      await write("wrong.ts", program.replace(...mistake));
      const programs = ["main.ts", "wrong.ts", "deno.d.ts"].map((name) => join(folder, name));
      const errors = Object.groupBy(
        typeErrors(programs, options),
        (error) => error.includes("wrong.ts: ") ? "wrong" : "other",
      );
      assert.deepEqual(errors.other ?? [], []);
      const wrong = errors.wrong ?? [];
      assert.ok(wrong.some((error) => error.includes("parking_lot_id") || error.includes("lot_id")), wrong.join("\n"));

      // A place without other lots.
      const place = { lat: 30 + Math.random(), lng: 140 + Math.random() };
      await aPricedLot({ ...place, name: "Lot of the contract" });
      const { token } = await signUp();
      const until = new Date(Date.now() + 60_000).toISOString();
      const given = { baseUrl: functionsUrl.replace(/\/v1$/, ""), token, until, ...place };
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--quiet", "main.ts"],
        cwd: folder,
        env: { VALUES: JSON.stringify(given), NO_COLOR: "1" },
      }).output();
      const output = new TextDecoder().decode(stdout);
      assert.ok(output.startsWith("["), new TextDecoder().decode(stderr));
      assert.deepEqual(JSON.parse(output), ["Lot of the contract", 1, 400, 200, "not_found"]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
