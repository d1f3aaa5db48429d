// What is left when a part of `deno task dev` is killed, and how the next start deals with it. The tests share a platform:
// each starts it, unless the one before left it running.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import postgres from "postgres";
import { commandLine, isRunning, processes, waitForExit } from "../../local/process.ts";
import { ROOT, STATE } from "../../local/settings.ts";
import { freePort } from "../../local/state.ts";
import { copyBuiltData, removeData } from "../support/built_data.ts";
import { eventually } from "../support/eventually.ts";
import {
  addedUsers,
  BACK_WITHIN,
  codes,
  functionPid,
  GONE_WITHIN,
  health,
  outcome,
  platform,
  READY_WITHIN,
  serverPid,
  SharedPort,
  signUp,
  status,
  stop,
} from "./dev_platform.ts";

const shared = new SharedPort();
Deno.test.afterAll(() => shared[Symbol.asyncDispose]());

Deno.test("task dev: after kill -9 of the platform the next start works and leaves no server", async () => {
  await shared.run(async (port, start) => {
    const one = await start();
    const server = await serverPid(port);
    const { gateway } = await platform(port);
    one.child.kill("SIGKILL");
    await one.child.status;
    assert.equal(await waitForExit(gateway, GONE_WITHIN), true);
    assert.equal((await outcome("status.ts", port)).code, 1);
    await start();
    assert.equal(await waitForExit(server, GONE_WITHIN), true);
    assert.equal(await codes(port), 200);
  });
});

Deno.test("task dev: a Postgres of a killed platform is stopped by the next start", async () => {
  await shared.run(async (port, start) => {
    const one = await start();
    const server = await serverPid(port);
    // Stopped in its tracks, the server cannot follow its platform into death.
    Deno.kill(server, "SIGSTOP");
    one.child.kill("SIGKILL");
    await one.child.status;
    Deno.kill(server, "SIGCONT");
    await start();
    assert.equal(await waitForExit(server, GONE_WITHIN), true);
    assert.equal(await codes(port), 200);
  });
});

Deno.test("task dev: after kill -9 of Postgres the platform starts it again, and the log has what was before", async () => {
  await shared.run(async (port, start) => {
    await start();
    const sql = postgres((await status(port)).DB_URL, { max: 1 });
    const mark = crypto.randomUUID();
    await assert.rejects(sql`select ${mark}::integer`);
    await sql.end();
    Deno.kill(await serverPid(port), "SIGKILL");
    // A request in that moment may lose its connection; a later one gets a response.
    const asked = () => codes(port).catch((error: unknown) => error instanceof TypeError ? 0 : Promise.reject(error));
    await eventually(async () => await asked() === 200 ? true : undefined, BACK_WITHIN);
    assert.equal(await health(port), 200);
    assert.ok((await Deno.readTextFile(join(STATE, String(port), "postgres.log"))).includes(mark));
  });
});

Deno.test("task dev: a lock file with the number of another program's process stops no process", async () => {
  await shared.run(async (port, start) => {
    await stop(await start());
    const bystander = new Deno.Command("sleep", { args: ["600"] }).spawn();
    try {
      await Deno.writeTextFile(join(STATE, String(port), "data", "postmaster.pid"), `${bystander.pid}\n`);
      await start();
      assert.equal(await codes(port), 200);
      assert.match(await commandLine(bystander.pid) ?? "", /sleep 600$/);
    } finally {
      bystander.kill();
      await bystander.status;
    }
  });
});

Deno.test("task status: a Postgres that cannot start is named with exit code 1, and retried until it starts", async () => {
  await shared.run(async (port, start) => {
    await start();
    const control = join(STATE, String(port), "data", "global", "pg_control");
    await Deno.rename(control, `${control}.away`);
    Deno.kill(await serverPid(port), "SIGKILL");
    const down = await eventually(async () => {
      const told = await outcome("status.ts", port);
      return told.stderr.includes("does not start") ? told : undefined;
    }, BACK_WITHIN);
    assert.equal(down.code, 1);
    assert.match(down.stderr, /^Down: database: Postgres stopped \(.*\) and does not start: /m);
    await Deno.rename(`${control}.away`, control);
    const answers = () => codes(port).catch((error: unknown) => error instanceof TypeError ? 0 : Promise.reject(error));
    await eventually(async () => await answers() === 200 ? true : undefined, BACK_WITHIN);
    await eventually(async () => (await outcome("status.ts", port)).code === 0 ? true : undefined, BACK_WITHIN);
  });
});

Deno.test("task dev: a damaged file is named with the remedy, and a record that can be rebuilt is rebuilt", async () => {
  await shared.run(async (port, start) => {
    await stop(await start());
    const folder = join(STATE, String(port));
    const damage = async (path: string, content: string) => {
      const at = join(folder, path);
      const before = await Deno.readTextFile(at);
      await Deno.writeTextFile(at, content);
      const { code, stderr } = await outcome("dev.ts", port);
      assert.equal(code, 1);
      assert.ok(stderr.includes(at), stderr);
      assert.match(stderr, /`deno task reset`/);
      await Deno.writeTextFile(at, before);
    };
    await damage("migrations.json", '{"20260901');
    await damage("migrations.json", "");
    await damage("data/vault.key", "");
    await damage("data/PG_VERSION", "nine"); // in Postgres's words
    await Deno.remove(join(folder, "functions"), { recursive: true });
    await Deno.writeTextFile(join(folder, "functions"), "");
    const { code, stderr } = await outcome("dev.ts", port);
    assert.deepEqual([code, stderr.includes(join(folder, "functions"))], [1, true]);
    await Deno.remove(join(folder, "functions"));

    for (const content of ["abc", "99999", ""]) await Deno.writeTextFile(join(folder, "postgres.port"), content);
    await start();
    assert.equal(await codes(port), 200);
  });
});

Deno.test("functions: one that hangs when its platform is killed is ended by the next start", async () => {
  await shared.run(async (port, start) => {
    const one = await start();
    assert.equal(await health(port), 200);
    const worker = await functionPid(port);
    // Stopped, it cannot notice anything.
    Deno.kill(worker!, "SIGSTOP");
    one.child.kill("SIGKILL");
    await one.child.status;
    await start();
    assert.equal(await waitForExit(worker!, GONE_WITHIN), true);
  });
});

Deno.test("task dev: after kill -9 of the gateway it is started again, Postgres runs on, and task reset and task stop leave no data and no process", async () => {
  await shared.run(async (port, start) => {
    const { child } = await start();
    assert.equal(await health(port), 200);
    const server = await serverPid(port);
    const { pid, gateway } = await platform(port);
    assert.equal(pid, child.pid);
    const children = (await processes()).filter(({ parent }) => parent === gateway).map(({ pid }) => pid);
    assert.ok(children.length >= 2, "realtime and a function");
    Deno.kill(gateway, "SIGKILL");
    const asked = () => codes(port).catch((error: unknown) => error instanceof TypeError ? 0 : Promise.reject(error));
    await eventually(async () => await asked() === 200 ? true : undefined, BACK_WITHIN);
    assert.equal(await health(port), 200);
    assert.equal(await serverPid(port), server);
    for (const one of children) assert.equal(await waitForExit(one, GONE_WITHIN), true);
    const next = await platform(port);
    assert.equal(next.pid, pid);
    assert.notEqual(next.gateway, gateway);
    const { DB_URL } = await status(port);
    await signUp(port);
    assert.equal(await addedUsers(DB_URL), 1);
    assert.equal((await outcome("reset.ts", port)).code, 0);
    assert.equal(await addedUsers(DB_URL), 0);
    assert.deepEqual([await codes(port), await health(port)], [200, 200]);
    assert.equal((await outcome("stop.ts", port)).code, 0);
    for (const one of [pid, next.gateway]) assert.equal(isRunning(one), false);
    assert.notEqual(freePort(port), undefined);
  });
});

Deno.test("functions: end after kill -9 of the platform", async () => {
  await shared.run(async (port, start) => {
    const one = await start();
    assert.equal(await health(port), 200);
    const worker = await functionPid(port);
    one.child.kill("SIGKILL");
    await one.child.status;
    assert.equal(await waitForExit(worker!, GONE_WITHIN), true);
  });
});

for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
  Deno.test(`task dev: ${signal} to the npx process ends the platform and all that it started`, async () => {
    const port = freePort(0)!;
    await copyBuiltData(String(port), { isDevelopers: true });
    const npx = new Deno.Command("npx", {
      args: ["-y", `deno@${Deno.version.deno}`, "task", "dev"],
      cwd: ROOT,
      env: { LOCAL_PORT: String(port), NO_COLOR: "1" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      const answers = () =>
        codes(port).catch((error: unknown) => error instanceof TypeError ? 0 : Promise.reject(error));
      await eventually(async () => await answers() === 200 ? true : undefined, READY_WITHIN);
      assert.equal(await health(port), 200);
      const { pid, gateway } = await platform(port);
      const started = [pid, gateway, await serverPid(port), await functionPid(port)];
      npx.kill(signal);
      for (const one of started) assert.equal(await waitForExit(one!, GONE_WITHIN), true);
    } finally {
      await outcome("stop.ts", port);
      await npx.status;
      await removeData(String(port));
    }
  });
}
