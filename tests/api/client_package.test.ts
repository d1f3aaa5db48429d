// client/: the examples of its README run in Deno and in Node with the built package; retries have no second effect.
import assert from "node:assert/strict";
import { createParkingClient } from "../../client/src/index.ts";
import { readmeApp, TITLE, uploadedBy } from "../client/readme_app.ts";
import { TextLineStream } from "../../local/functions/lines.ts";
import { connect, notify } from "../realtime/activities.ts";
import { signUp } from "../support/people.ts";
import { stack } from "../support/stack.ts";
import { inDatabase } from "./lots.ts";
import { aPricedLot } from "./sessions.ts";

/** Whether the command is on this machine, in a version that can run the package. */
async function version(command: string): Promise<number> {
  try {
    const { stdout } = await new Deno.Command(command, { args: ["--version"] }).output();
    return Number(/\d+/.exec(new TextDecoder().decode(stdout))?.[0]);
  } catch {
    return 0;
  }
}

const sql = connect();
Deno.test.afterAll(() => sql.end());

/** The Node of this machine, or the one that the client needs at least, from npm. */
const node = await version("node") >= 22 ? ["node"] : ["npx", "--yes", "node@22"];
const runtimes = [
  { name: "Deno", command: [Deno.execPath(), "run", "-A", "main.ts"] },
  { name: "Node", command: [...node, "main.mjs"] },
];

for (const { name, command: [program, ...args] } of runtimes) {
  Deno.test({
    name:
      `client/README.md: the examples find a lot, know its fee, park, save it, export it, upload a file and receive a notification in ${name}`,
    fn: async () => {
      const { apiUrl, publishableKey } = stack();
      // A place without other lots.
      const place = { lat: 30 + Math.random(), lng: 140 + Math.random() };
      const lot = await aPricedLot({ ...place, name: "Lot of the example" });
      const { id: user, email, password } = await signUp();
      await using app = await readmeApp(apiUrl);
      const child = new Deno.Command(program!, {
        args,
        cwd: app.folder,
        env: { VALUES: JSON.stringify({ publishableKey, email, password, ...place }) },
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const stderr = new Response(child.stderr).text();
      const shown: string[] = [];
      for await (const line of child.stdout.pipeThrough(new TextLineStream())) {
        shown.push(line);
        if (line === "inbox: live") await notify(sql, user, { title: TITLE });
      }
      assert.ok((await child.status).success, await stderr);
      const asset = uploadedBy(shown, lot);
      const [row] = await inDatabase((sql) =>
        sql<{ keys: number; file: boolean }[]>`
          select (select count(*)::integer from private.idempotency_replies where user_id = ${user}) as keys,
            exists (select from public.assets where id = ${asset}) as file`
      );
      assert.ok(row!.keys >= 4 && row!.file, JSON.stringify(row));
    },
  });
}

Deno.test("client: ten vehicles that are created at once are ten, although requests are rejected and responses are lost", async () => {
  const { token } = await signUp();
  const url = stack().functionsUrl;
  const attempts = new Map<string, number>();
  const fetch = async (request: Request) => {
    const key = request.headers.get("Idempotency-Key") ?? "";
    attempts.set(key, (attempts.get(key) ?? 0) + 1);
    if (key !== "" && attempts.get(key) === 1) {
      return Response.json({ error: { code: "service_unavailable" } }, {
        status: 503,
        headers: { "Retry-After": "0" },
      });
    }
    const response = await globalThis.fetch(request);
    if (key === "" || attempts.get(key) !== 2) return response;
    await response.body?.cancel();
    throw new TypeError("lost");
  };
  const client = createParkingClient({ url, accessToken: token, fetch, retry: { maxDelaySeconds: 1 } });
  const add = () => client.POST("/v1/me/vehicles", { body: { vehicle_type: "bus" } });
  // The eleventh would be rejected.
  const added = await Promise.all(Array.from({ length: 10 }, add));
  const kept = await Array.fromAsync(client.pages("/v1/me/vehicles", { params: { query: { limit: 4 } } }));
  assert.deepEqual(kept.map(({ id }) => id).toSorted(), added.map(({ data }) => data.id).toSorted());
  assert.deepEqual([...attempts].filter(([key]) => key !== "").map(([, count]) => count), Array(10).fill(3));
});
