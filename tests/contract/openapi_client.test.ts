// A client whose types are generated from openapi.json: what its users may write passes the type checker, and nothing else.
import assert from "node:assert/strict";
import openapiTS, { astToString } from "openapi-typescript";

const root = new URL("../../", import.meta.url);

/** Calls of a client, as its users write them. */
const calls: Record<string, string> = {
  "a public search, whose items are lots or tombstones": `
    const query = { keywords: ["駅前"], sort: "price" as const, limit: 20, include: ["total" as const] };
    const { data } = await client.GET("/v1/parking-lots", { params: { query } });
    for (const item of data?.items ?? []) print("deleted" in item ? item.at : item.name);
    print(data?.total ?? 0);`,
  "lots nearby, with an object in the query as JSON text": `
    const filters = { tags: ["covered"], open_now: true } satisfies Schemas["NearbyFilters"];
    const query = { lat: 35.68, lng: 139.77, filters: JSON.stringify(filters) };
    const { data = [] } = await client.GET("/v1/parking-lots/nearby", { params: { query } });
    for (const { name, estimated_fee, fee_refusal } of data) print(name, estimated_fee ?? fee_refusal?.reason ?? "");`,
  "a fee, or the error that says why it is not known": `
    const body = { entry_at: "2026-09-01T09:00:00+09:00", exit_at: "2026-09-01T12:00:00+09:00" };
    const { data, error } = await client.POST("/v1/parking-lots/{id}/calc-fee", { params: { path: { id } }, body });
    if (error) print(error.error.code === "fee_unknown" ? error.error.details ?? {} : error.error.message);
    else print(data.total_amount, data.currency);`,
  "the start of a session, once for its key": `
    const params = { header: { "Idempotency-Key": crypto.randomUUID() } };
    const { data } = await client.POST("/v1/parking-sessions", { params, body: { parking_lot_id: id } });
    if (data) print(data.session_id);`,
  "the end of a session": `
    const body = { exit_at: "2026-09-01T12:00:00+09:00" };
    const { data } = await client.POST("/v1/parking-sessions/{id}/finalize", { params: { path: { id } }, body });
    print(data?.total_amount ?? "the fee is not known");`,
  "a list, page by page": `
    let cursor: string | null | undefined;
    do {
      const { data } = await client.GET("/v1/me/vehicles", { params: { query: { limit: 100, ...(cursor && { cursor }) } } });
      for (const vehicle of data?.items ?? []) print(vehicle.nickname ?? "");
      cursor = data?.next_cursor;
    } while (cursor);`,
  "a decision of an administrator": `
    const { data: review } = await client.GET("/v1/admin/reviews/{id}", { params: { path: { id } } });
    const body = { status: "approved", seen_updated_at: review!.updated_at } as const;
    const { data } = await client.PATCH("/v1/admin/reviews/{id}", { params: { path: { id } }, body });
    print(data?.status ?? "");`,
  "a rating, which may be null when it is read": `
    const { data } = await client.GET("/v1/parking-lots/{id}/rating", { params: { path: { id } } });
    if (data) print(data.value);`,
  "a rating, which is not null when it is written": `
    const { data, error } = await client.PUT("/v1/parking-lots/{id}/rating", { params: { path: { id } }, body: { value: "good" } });
    if (!error) print(data.value);`,
  "a union, told apart by its fields": `
    const { data } = await client.POST("/v1/search/ai", { body: { query: "covered, near Shibuya station" } });
    if (data && "query" in data) print(data.query?.keywords ?? []);`,
  "a reply without content": `
    const { response } = await client.DELETE("/v1/parking-lots/{id}/rating", { params: { path: { id } } });
    print(response.status, response.headers.get("RateLimit") ?? "");`,
  "an operation by its name, and an error response by its name": `
    type Put = Operations["putSessionPhoto"]["parameters"]["path"]["slot"];
    type Limited = components["responses"]["429"]["headers"]["Retry-After"];
    print(1 satisfies Put, 2 satisfies NonNullable<Limited>);`,
};

/** Mistakes, each in its last line. */
const mistakes: Record<string, string> = {
  "a path that does not exist": `
    await client.GET("/v1/parking-lot");`,
  "a parameter that does not exist": `
    await client.GET("/v1/ads", { params: { query: { colour: "red" } } });`,
  "a body without a required field": `
    await client.POST("/v1/parking-sessions", { body: {} });`,
  "a value that is not in the enumeration": `
    await client.PUT("/v1/parking-lots/{id}/rating", { params: { path: { id } }, body: { value: "great" } });`,
  "a field of what may be null": `
    const rating = await client.GET("/v1/parking-lots/{id}/rating", { params: { path: { id } } });
    if (!rating.error) print(rating.data.value);`,
  "a field that the reply does not have": `
    const fee = await client.POST("/v1/parking-lots/{id}/calc-fee", { params: { path: { id } }, body: { entry_at: "", exit_at: "" } });
    print(fee.data?.total);`,
  "an object in the query that is not JSON text": `
    await client.GET("/v1/parking-lots/nearby", { params: { query: { lat: 35, lng: 139, filters: { open_now: true } } } });`,
};

const prelude = `import createClient from "openapi-fetch";
import type { components, operations, paths } from "./openapi.ts";

export type Schemas = components["schemas"];
export type Operations = operations;
const client = createClient<paths>({ baseUrl: "http://127.0.0.1:54321/functions" });
const id = "555c77e1-60d8-4123-9321-94515af67cff";
const print = (..._values: (string | number | object)[]) => {};
`;

/** What the type checker says about these files, with types that are generated from the committed contract. */
async function check(files: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const document = JSON.parse(await Deno.readTextFile(new URL("contract/openapi.json", root)));
    const types = await openapiTS(document, { defaultNonNullable: false });
    await Deno.writeTextFile(`${folder}/openapi.ts`, astToString(types));
    for (const [name, calls] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, prelude + calls.map((call) => `{${call}\n}\n`).join(""));
    }
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", `--config=${new URL("tests/contract/deno.json", root).pathname}`, ...Object.keys(files)],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    return new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("openapi.json: a generated client accepts these calls and rejects these mistakes", async (t) => {
  const expected = Object.values(mistakes).map((mistake) =>
    mistake.replace(/\n(?=[^\n]*$)/, "\n// @ts-expect-error\n")
  );
  const mistake = mistakes["a body without a required field"]!;
  const output = await check({ "calls.ts": [...Object.values(calls), ...expected], "mistake.ts": [mistake] });
  const errors = [...output.matchAll(/at file:\S+\/(\w+\.ts):\d+/g)].map((match) => match[1]);
  assert.ok(!errors.includes("calls.ts"), output);
  // Without its comment a mistake is an error: the types are checked.
  assert.ok(errors.includes("mistake.ts") && output.includes("parking_lot_id"), output);
  for (const name of Object.keys(calls)) await t.step(`accepted: ${name}`, () => {});
  for (const name of Object.keys(mistakes)) await t.step(`rejected: ${name}`, () => {});
});
