// `deno task dev`, `status`, `stop` and `reset` as their users run them. What a crash leaves behind is in dev_crashes.test.ts.
import { strict as assert } from "node:assert";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { SAMPLE_PASSWORD, SAMPLE_PEOPLE } from "../../tools/seed/people/sample_people.ts";
import { isRunning, waitForExit } from "../../local/process.ts";
import { PUBLISHABLE_KEY, ROOT, STATE } from "../../local/settings.ts";
import { removeIfExists } from "../../local/files.ts";
import { freePort } from "../../local/state.ts";
import { eventually } from "../support/eventually.ts";
import {
  addedUsers,
  BACK_WITHIN,
  codes,
  type Dev,
  dev,
  functionPid,
  GONE_WITHIN,
  health,
  outcome,
  remove,
  serverPid,
  SharedPort,
  signUp,
  status,
  stop,
} from "./dev_platform.ts";

let starting: Promise<Dev & { readonly port: number }> | undefined;
/** A platform that began without data, for the tests that leave it as it is. The first of them starts it. */
function shared(port = freePort(0)!) {
  return starting ??= dev(port).then((started) => ({ port, ...started }));
}

/** For the tests that stop it, or change its data. */
const changing = new SharedPort();

Deno.test.afterAll(async () => {
  await changing[Symbol.asyncDispose]();
  const one = await starting;
  if (one) await remove(one.port, [one]);
});

Deno.test("task reset: deletes the data of a stopped platform; without it data stays", async () => {
  // The shared platform is the one that begins after the reset.
  await new SharedPort().run(async (port, start) => {
    const one = await start();
    const { DB_URL } = await status(port);
    await signUp(port);
    await stop(one);
    const two = await start();
    assert.equal(await addedUsers(DB_URL), 1);
    await stop(two);
    assert.equal((await outcome("reset.ts", port)).code, 0);
    await shared(port);
    assert.equal(await addedUsers(DB_URL), 0);
  });
});

Deno.test("task status: prints the names of supabase status, and exits 1 if no platform runs", async () => {
  const nothing = await outcome("status.ts", freePort(0)!);
  assert.equal(nothing.code, 1);
  assert.match(nothing.stderr, /deno task dev/);
  const { port } = await shared();
  const { API_URL, DB_URL, PUBLISHABLE_KEY: key, ...others } = await status(port);
  assert.equal(API_URL, `http://127.0.0.1:${port}`);
  assert.equal(key, PUBLISHABLE_KEY);
  for (const name of ["SECRET_KEY", "ANON_KEY", "SERVICE_ROLE_KEY", "JWT_SECRET", "REST_URL", "FUNCTIONS_URL"]) {
    assert.ok(name in others, name);
  }
  const environment = await outcome("status.ts", port, ["-o", "env"]);
  assert.match(environment.stdout, new RegExp(`^DB_URL="${DB_URL.replaceAll(/[?.]/g, "\\$&")}"$`, "m"));
});

Deno.test("task dev: a port in use is reported, and nothing is started or stopped", async () => {
  const { port, child } = await shared();
  const server = await serverPid(port);
  const second = await outcome("dev.ts", port);
  assert.equal(second.code, 1);
  assert.match(second.stderr, new RegExp(`Port ${port} is taken by .*, process ${child.pid}\\.`));
  assert.equal(isRunning(server), true);
  assert.equal(await codes(port), 200);
});

Deno.test("task dev: two platforms on two ports have data of their own, and each stops cleanly", async () => {
  const { port: onePort } = await shared();
  await changing.run(async (otherPort, start) => {
    const started = await start();
    const [one, other] = await Promise.all([status(onePort), status(otherPort)]);
    assert.notEqual(one.DB_URL, other.DB_URL);
    assert.deepEqual(await Promise.all([codes(onePort), codes(otherPort)]), [200, 200]);
    const server = await serverPid(otherPort);
    assert.equal(await stop(started), 0);
    assert.equal(isRunning(server), false);
    assert.notEqual(freePort(otherPort), undefined);
    assert.equal((await outcome("status.ts", otherPort)).code, 1);
    assert.equal(await codes(onePort), 200);
  });
});

Deno.test("task dev: the log of Postgres has the plan of a slow statement in a function, without values", async () => {
  const { port } = await shared();
  const sql = postgres((await status(port)).DB_URL!, { max: 1, onnotice: () => {} });
  try {
    const [server] = await sql<
      { folder: string }[]
    >`select setting as folder from pg_settings where name = 'data_directory'`;
    const log = join(dirname(server!.folder), "postgres.log");
    const [mark, secret] = [crypto.randomUUID(), crypto.randomUUID()];
    await sql.unsafe(`
      create function pg_temp.slow(p_value text) returns void language plpgsql
      as $$ begin perform pg_sleep(0.6), '${mark}', p_value; end $$`);
    await sql`select pg_temp.slow(${secret})`;
    const plan = await eventually(async () => {
      const text = await Deno.readTextFile(log);
      return text.includes(`SELECT pg_sleep(0.6), '${mark}', p_value`) ? text : undefined;
    });
    assert.match(plan.slice(plan.indexOf(mark)), /Result {2}\(cost=/);
    assert.equal(plan.includes(secret), false);
  } finally {
    await sql.end();
  }
});

Deno.test("functions: after kill -9 of one the next request works", async () => {
  const { port } = await shared();
  assert.equal(await health(port), 200);
  Deno.kill((await functionPid(port))!, "SIGKILL");
  await eventually(async () => await health(port) === 200 ? true : undefined, BACK_WITHIN);
});

Deno.test("gateway: a service that the platform lacks is 501 and an unknown path 404, in the error format", async () => {
  const { port } = await shared();
  const expected = { "/storage/v1/object/x": [501, "not_implemented"], "/nothing": [404, "not_found"] };
  for (const [path, [status, code]] of Object.entries(expected)) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.code], [status, code]);
    assert.equal(error.request_id, answer.headers.get("x-request-id"));
    assert.deepEqual([error.param, error.message_key], [null, `error.${code}`]);
    const page = await fetch(error.doc_url);
    assert.equal(page.status, 200);
    assert.ok((await page.text()).includes(String(code)));
  }
});

Deno.test("task dev: prints its steps, addresses, keys, sample people and three working requests", async () => {
  const { output } = await shared();
  assert.match(output(), /For development and tests/);
  assert.match(output(), /Applying migration/);
  const requests = output().split("\n").filter((line) => line.startsWith("  curl "));
  assert.equal(requests.length, 3);
  for (const request of requests) {
    const { code } = await new Deno.Command("sh", { args: ["-c", `${request} --fail --silent`], stdout: "null" })
      .output();
    assert.equal(code, 0, request);
  }
  const [, password, people] = output().match(/Sign in with the password (\S+)\n((?: {4}\S+@.*\n)+)/) ?? [];
  assert.equal(password, SAMPLE_PASSWORD);
  assert.deepEqual(
    people!.trimEnd().split("\n").map((line) => line.trim().split(" ")[0]),
    SAMPLE_PEOPLE.map((one) => one.email),
  );
});

Deno.test("task dev: a wrong setting is reported in one sentence, and nothing is started", async () => {
  for (const script of ["dev.ts", "status.ts", "reset.ts"]) {
    for (const port of ["abc", "0", "65536", "1.5"]) {
      const { code, stderr } = await outcome(script, port);
      assert.equal(code, 1);
      assert.equal(stderr, `LOCAL_PORT must be a whole number from 1 to 65535, not "${port}"\n`);
    }
  }
  const { code, stderr } = await outcome("dev.ts", freePort(0)!, [], "many");
  assert.equal(code, 1);
  assert.equal(stderr, 'LOCAL_AUTH_RATE must be a whole number from 1 to 1000000, not "many"\n');
});

Deno.test("local auth: the eleventh sign-in of a minute from one IP address is rejected, also with forged headers", async () => {
  await changing.run(async (port, start) => {
    await start();
    const attempt = async (number: number, path = "token?grant_type=password") => {
      const answer = await fetch(`http://127.0.0.1:${port}/auth/v1/${path}`, {
        method: "POST",
        headers: {
          apikey: PUBLISHABLE_KEY,
          "content-type": "application/json",
          "x-forwarded-for": `203.0.113.${number}`,
          "x-supabase-api-version": "2024-01-01",
        },
        body: `{"email":"nobody@example.com","password":"password1"}`,
      });
      return [answer.status, (await answer.json()).code];
    };
    for (let number = 1; number <= 10; number++) assert.deepEqual(await attempt(number), [400, "invalid_credentials"]);
    assert.deepEqual(await attempt(11), [429, "over_request_rate_limit"]);
    // Codes of second factors cannot be guessed faster than passwords.
    const code = `factors/${crypto.randomUUID()}/verify`;
    assert.deepEqual(await attempt(12, code), [429, "over_request_rate_limit"]);
  });
});

Deno.test("task stop: ends the platform and all that it started", async () => {
  const free = freePort(0)!;
  const none = await outcome("stop.ts", free);
  assert.deepEqual([none.code, none.stdout], [0, `No platform runs on port ${free}.\n`]);
  await changing.run(async (port, start) => {
    const one = await start();
    assert.equal(await health(port), 200);
    const [server, worker] = [await serverPid(port), await functionPid(port)];
    assert.equal((await outcome("stop.ts", port)).code, 0);
    assert.equal((await one.child.status).code, 0);
    for (const pid of [server, worker!]) assert.equal(await waitForExit(pid, GONE_WITHIN), true);
    assert.equal((await outcome("status.ts", port)).code, 1);
  });
});

Deno.test("task commands: another copy of the repository on the port is named by `dev`, `status`, `stop` and `reset`", async () => {
  const other = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ pid: 4711, root: "/elsewhere", status: null, down: [] }),
  );
  try {
    for (const script of ["dev.ts", "status.ts", "stop.ts", "reset.ts"]) {
      const { code, stderr } = await outcome(script, other.addr.port);
      assert.equal(code, 1);
      const by = "another `deno task dev`, process 4711 in /elsewhere";
      assert.equal(stderr, `Port ${other.addr.port} is taken by ${by}. LOCAL_PORT=<port> chooses another one.\n`);
    }
  } finally {
    await other.shutdown();
  }
});

Deno.test("task commands: a platform of an older version is named with its process and the folder it works in", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const elsewhere = new Deno.Command("sleep", { args: ["600"], cwd: folder }).spawn();
  const gone = 2 ** 22 + 1; // more than Linux gives to a process
  let pid = elsewhere.pid;
  const other = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ pid, status: null, down: [] }),
  );
  try {
    for (const [named, where] of [[elsewhere.pid, `in ${folder}`], [gone, "of an older version"]] as const) {
      pid = named;
      for (const script of ["dev.ts", "reset.ts"]) {
        const { code, stderr } = await outcome(script, other.addr.port);
        const by = `another \`deno task dev\`, process ${named} ${where}`;
        const message = `Port ${other.addr.port} is taken by ${by}. LOCAL_PORT=<port> chooses another one.\n`;
        assert.deepEqual([code, stderr], [1, message]);
      }
    }
  } finally {
    await other.shutdown();
    elsewhere.kill();
    await elsewhere.status;
    await Deno.remove(folder);
  }
});

Deno.test("task stop: a platform that ends before it responds has stopped", async () => {
  const program = `const server = Deno.serve({ hostname: "127.0.0.1", port: 0 }, (request) => {
    if (request.method === "POST") Deno.exit(0);
    return Response.json({ pid: Deno.pid, root: ${JSON.stringify(ROOT)}, status: null, down: [] });
  });`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  try {
    let said = "";
    const listening = /127\.0\.0\.1:(\d+)/;
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (listening.test(said)) break;
    }
    const port = Number(said.match(listening)![1]);
    const { code, stdout, stderr } = await outcome("stop.ts", port);
    assert.deepEqual([code, stdout, stderr], [0, `The platform on port ${port} has stopped.\n`, ""]);
  } finally {
    if (isRunning(child.pid)) child.kill("SIGKILL");
    await child.status;
  }
});

Deno.test("task status, stop, reset: a port that does not respond is named, and no data is deleted", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = silent.addr;
  const connections: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of silent) connections.push(connection);
  })();
  const data = join(STATE, String(port), "data");
  try {
    await Deno.mkdir(data, { recursive: true });
    const outcomes = await Promise.all(["status.ts", "stop.ts", "reset.ts"].map((script) => outcome(script, port)));
    for (const { code, stdout, stderr } of outcomes) {
      const told = `Port ${port} is taken, and nothing responded there within 5 seconds.\n`;
      assert.deepEqual([code, stdout, stderr], [1, "", told]);
    }
    assert.ok((await Deno.stat(data)).isDirectory);
  } finally {
    for (const connection of connections) connection.close();
    silent.close();
    await accepting;
    await removeIfExists(join(STATE, String(port)));
  }
});
