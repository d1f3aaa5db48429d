// client/README.md: its examples run against the platform, in Deno and in Node, with the built package.
import assert from "node:assert/strict";
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

const hasNode = await version("node") >= 20;
const runtimes = [
  { name: "Deno", command: [Deno.execPath(), "run", "-A", "main.ts"], ignore: false },
  { name: `Node${hasNode ? "" : " (ignored: no Node 20 on PATH)"}`, command: ["node", "main.mjs"], ignore: !hasNode },
];

for (const { name, command: [program, ...args], ignore } of runtimes) {
  Deno.test({
    name:
      `client/README.md: the examples find a lot, know its fee, park, save it, export it, upload a file and receive a notification in ${name}`,
    ignore,
    fn: async () => {
      const { apiUrl, functionsUrl, publishableKey } = stack();
      // A place without other lots.
      const place = { lat: 30 + Math.random(), lng: 140 + Math.random() };
      const lot = await aPricedLot({ ...place, name: "Lot of the example" });
      const { id: user, email, password } = await signUp();
      await using app = await readmeApp({ apiUrl, functionsUrl: functionsUrl.replace(/\/v1$/, "") });
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
          select (select count(*)::integer from private.idempotency_keys where user_id = ${user}) as keys,
            exists (select from public.assets where id = ${asset}) as file`
      );
      assert.ok(row!.keys >= 4 && row!.file, JSON.stringify(row));
    },
  });
}
