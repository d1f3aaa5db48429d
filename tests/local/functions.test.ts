import { strict as assert } from "node:assert";
import { join } from "node:path";
import { FunctionRunner, type RunnerOptions } from "../../local/functions/runner.ts";
import { ANON_KEY, functionsDeno, PUBLISHABLE_KEY, SECRET_KEY, SERVICE_ROLE_KEY } from "../../local/settings.ts";
import { eventually } from "../support/eventually.ts";
import { RawClient } from "../support/raw_client.ts";

/** A runner on a folder of its own with these functions in it: name → the source of its index.ts. */
async function withFunctions(
  sources: Record<string, string>,
  run: (
    ask: (path: string, init?: RequestInit) => Promise<Response>,
    write: Write,
    log: string[],
    runner: FunctionRunner,
  ) => Promise<void>,
  options: Pick<RunnerOptions, "maxInProgress"> = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const source = join(folder, "functions");
  const write: Write = async (name, text, file = "index.ts") => {
    await Deno.mkdir(join(source, name), { recursive: true });
    await Deno.writeTextFile(join(source, name, file), text);
  };
  await Deno.mkdir(source);
  for (const [name, text] of Object.entries(sources)) await write(name, text);
  const log: string[] = [];
  const runner = await FunctionRunner.start({
    deno: functionsDeno(),
    source,
    folder: join(folder, "entries"),
    environment: { GIVEN: "yes" },
    importMaps: {},
    log: (line) => log.push(line),
    ...options,
  });
  const ask = (path: string, init?: RequestInit) => {
    const [, name = "", rest = ""] = path.match(/^\/([^/?]*)([^?]*)/) ?? [];
    return runner.handle(new Request(`http://127.0.0.1:5${path}`, init), name, rest, "192.0.2.7");
  };
  try {
    await run(ask, write, log, runner);
  } finally {
    await runner.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

type Write = (name: string, text: string, file?: string) => Promise<void>;

Deno.test("functions: receive their own path, the client's address and only their environment", async () => {
  const source = `Deno.serve((request) => {
    const url = new URL(request.url);
    return Response.json({
      path: url.pathname + url.search,
      from: ["x-forwarded-for", "cf-connecting-ip", "x-real-ip"].map((name) => request.headers.get(name)),
      environment: Object.keys(Deno.env.toObject()),
    });
  });`;
  await withFunctions({ hello: source }, async (ask) => {
    const answer = await ask("/hello/a/b?c=d", {
      headers: { "x-forwarded-for": "203.0.113.1", "cf-connecting-ip": "203.0.113.2", "x-real-ip": "203.0.113.3" },
    });
    assert.deepEqual(await answer.json(), {
      path: "/hello/a/b?c=d",
      from: ["192.0.2.7", "192.0.2.7", null],
      environment: ["GIVEN"],
    });
  });
});

Deno.test("functions: receive the keys in the headers in which the client sent them, and no header of the hosted gateway", async () => {
  const source = `Deno.serve(({ headers }) => Response.json(
    ["authorization", "apikey", "sb-api-key"].map((name) => headers.get(name)),
  ));`;
  await withFunctions({ echo: source }, async (ask) => {
    const keys = [null, SECRET_KEY, PUBLISHABLE_KEY, SERVICE_ROLE_KEY, ANON_KEY, "sb_secret_unknown"];
    for (const key of keys) {
      for (const apikey of keys) {
        const authorization = key === null ? null : `Bearer ${key}`;
        const headers = new Headers({ "sb-api-key": `Bearer ${SERVICE_ROLE_KEY}` });
        if (authorization !== null) headers.set("authorization", authorization);
        if (apikey !== null) headers.set("apikey", apikey);
        assert.deepEqual(await (await ask("/echo", { headers })).json(), [authorization, apikey, null]);
      }
    }
  });
});

Deno.test("functions: may not read files or start programs", async () => {
  const source = `Deno.serve(async () => {
    const names = await Promise.all(["read", "write", "run"].map((name) => Deno.permissions.query({ name })));
    return Response.json(names.map(({ state }) => state));
  });`;
  await withFunctions({ hello: source }, async (ask) => {
    assert.deepEqual(await (await ask("/hello")).json(), ["prompt", "prompt", "prompt"]);
  });
});

Deno.test("functions: concurrent first requests share one process", async () => {
  const source = `const id = crypto.randomUUID(); Deno.serve(() => new Response(id));`;
  await withFunctions({ hello: source }, async (ask) => {
    const ids = await Promise.all(Array.from({ length: 10 }, async () => await (await ask("/hello")).text()));
    assert.equal(new Set(ids).size, 1);
  });
});

Deno.test("functions: status, headers and bodies are streamed unchanged in both directions", async () => {
  const source = `Deno.serve((request) => new Response(request.body, {
    status: 207, headers: { "x-one": "1", "content-encoding": "identity", location: "/elsewhere" },
  }));`;
  await withFunctions({ echo: source }, async (ask) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const answering = ask("/echo", { method: "POST", body: readable });
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode("first"));
    const answer = await answering;
    assert.equal(answer.status, 207);
    assert.equal(answer.headers.get("x-one"), "1");
    const reader = answer.body!.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), "first");
    await writer.write(new TextEncoder().encode("second"));
    assert.equal(new TextDecoder().decode((await reader.read()).value), "second");
    await writer.close();
    assert.equal((await reader.read()).done, true);
  });
});

Deno.test("functions: a body of fifty megabytes arrives whole", async () => {
  const source = `Deno.serve(async (request) => {
    let size = 0;
    for await (const chunk of request.body!) size += chunk.length;
    return Response.json(size);
  });`;
  await withFunctions({ count: source }, async (ask) => {
    const body = new Uint8Array(50 * 1024 * 1024);
    assert.equal(await (await ask("/count", { method: "POST", body })).json(), body.length);
  });
});

Deno.test("functions: a changed file reloads them, and a running request ends on the old code", async () => {
  const source = `import { version } from "../_shared/version.ts";
    Deno.serve(async (request) => new Response(version + await request.text()));`;
  await withFunctions({ hello: source }, async (ask, write) => {
    await write("_shared", `export const version = "old";`, "version.ts");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const running = ask("/hello", { method: "POST", body: readable });
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(" begun"));
    await write("_shared", `export const version = "new";`, "version.ts");
    await eventually(async () => (await (await ask("/hello")).text()) === "new" ? true : undefined);
    await writer.close();
    assert.equal(await (await running).text(), "old begun");
  });
});

Deno.test("functions: one that does not start is 503 BOOT_ERROR, and works once it is repaired", async () => {
  await withFunctions({ broken: `throw new Error("at the start");` }, async (ask, write, log) => {
    const answer = await ask("/broken");
    assert.equal(answer.status, 503);
    assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assert.equal((await answer.json()).code, "BOOT_ERROR");
    assert.ok(log.some((line) => line.startsWith("[broken] ") && line.includes("at the start")));
    await write("broken", `Deno.serve(() => new Response("mended"));`);
    assert.equal(await (await ask("/broken")).text(), "mended");
  });
});

Deno.test("functions: one that crashes in a request is 500 WORKER_ERROR, and the next request restarts it", async () => {
  const source = `Deno.serve((request) => {
    if (new URL(request.url).search === "?die") Deno.exit(1);
    return new Response("alive");
  });`;
  await withFunctions({ frail: source }, async (ask) => {
    const answer = await ask("/frail?die");
    assert.equal(answer.status, 500);
    const { code, error } = await answer.json();
    assert.deepEqual([code, error.code, error.details], ["WORKER_ERROR", "server_error", {
      reason: "outcome_unknown",
    }]);
    assert.equal(await (await ask("/frail")).text(), "alive");
  });
});

Deno.test("functions: an unknown name is 404, also _shared and invalid names", async () => {
  const source = `Deno.serve(() => new Response("no"));`;
  await withFunctions({ _shared: source, "1st": source }, async (ask) => {
    for (const name of ["nothing", "_shared", "1st", "..%2fx", ""]) {
      const answer = await ask(`/${name}`);
      assert.equal(answer.status, 404, name);
      const { code, error } = await answer.json();
      assert.equal(code, "NOT_FOUND", name);
      assert.equal(error.code, "not_found", name);
      assert.equal(error.request_id, answer.headers.get("x-request-id"), name);
    }
  });
});

Deno.test("functions: an unsupported method is 405 with Allow", async () => {
  await withFunctions({ hello: `Deno.serve(() => new Response("no"));` }, async (ask) => {
    const answer = await ask("/hello", { method: "PURGE" });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get("allow"), "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    assert.equal((await answer.json()).error.code, "method_not_allowed");
  });
});

Deno.test("functions: each line of output is logged with the function's name", async () => {
  const source = `Deno.serve(() => { console.log("one\\ntwo"); console.error("three"); return new Response(); });`;
  await withFunctions({ chatty: source }, async (ask, _write, log) => {
    await ask("/chatty");
    await eventually(() => log.length >= 3 ? true : undefined);
    assert.deepEqual(log.toSorted(), ["[chatty] one", "[chatty] three", "[chatty] two"]);
  });
});

Deno.test("functions: a client that disconnects aborts the request without an error", async () => {
  const source = `Deno.serve(async (request) => {
    request.signal.addEventListener("abort", () => console.log("left"));
    if (request.method === "POST") await request.text().catch(() => console.log("half a body"));
    console.log("begun");
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return new Response("late");
  });`;
  await withFunctions({ slow: source }, async (_ask, _write, log, runner) => {
    const statuses: number[] = [];
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
      const answer = await runner.handle(request, "slow", "", "192.0.2.7");
      statuses.push(answer.status);
      return answer;
    });
    const { port } = server.addr;
    {
      await using client = await RawClient.connect(port);
      await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await eventually(() => log.includes("[slow] begun") || undefined);
    }
    await eventually(() => log.includes("[slow] left") || undefined);
    {
      await using client = await RawClient.connect(port);
      await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\nhalf");
    }
    await eventually(() => statuses.length === 2 || undefined);
    assert.deepEqual(statuses, [499, 499]);
    assert.deepEqual(log.filter((line) => !/\[slow\] (begun|left|half a body)$/.test(line)), []);
    await server.shutdown();
  });
});

Deno.test("functions: requests beyond the limit of a function get 503 with Retry-After, unread, and never reach it", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let reached = 0;
  const holder = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async () => {
    reached++;
    await released;
    return new Response();
  });
  const hold = `Deno.serve(async () => {
    await (await fetch("http://127.0.0.1:${holder.addr.port}")).body?.cancel();
    return new Response("held");
  });`;
  const other = `Deno.serve(() => new Response("other"));`;
  try {
    await withFunctions({ hold, other }, async (ask) => {
      const all = Array.from({ length: 60 }, () => ask("/hold"));
      await eventually(() => reached === 3 || undefined);

      let pulls = 0;
      const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 });
      const rejected = await ask("/hold", { method: "POST", body });
      assert.deepEqual([rejected.status, rejected.headers.get("retry-after"), pulls], [503, "1", 0]);
      const { error } = await rejected.json();
      assert.deepEqual([error.code, error.param, error.message_key], [
        "service_unavailable",
        null,
        "error.service_unavailable",
      ]);
      assert.equal(rejected.headers.get("x-request-id"), error.request_id);
      assert.equal(rejected.headers.get("access-control-allow-origin"), "*");
      assert.match(rejected.headers.get("access-control-expose-headers") ?? "", /retry-after/);
      // The preflight of a page succeeds, and other functions have places of their own.
      assert.equal((await ask("/hold", { method: "OPTIONS" })).status, 200);
      assert.equal(await (await ask("/other")).text(), "other");

      release();
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      assert.deepEqual([statuses.filter((one) => one === 200).length, statuses.filter((one) => one === 503).length], [
        3,
        57,
      ]);
      assert.equal(reached, 3);
      assert.equal(await (await ask("/hold")).text(), "held");
    }, { maxInProgress: 3 });
  } finally {
    release();
    await holder.shutdown();
  }
});

Deno.test("functions: a client that sends its body slowly, or leaves, holds no place of a function", async () => {
  const echo = `Deno.serve(async (request) => new Response(await request.text()));`;
  await withFunctions({ echo }, async (ask) => {
    const slow = new TransformStream<Uint8Array, Uint8Array>();
    const writer = slow.writable.getWriter();
    const slowly = ask("/echo", { method: "POST", headers: { "content-length": "4" }, body: slow.readable });
    await writer.write(new TextEncoder().encode("sl"));
    for (let n = 0; n < 5; n++) {
      const abort = new AbortController();
      const leaving = ask("/echo", { method: "POST", body: "x", signal: abort.signal });
      abort.abort();
      await leaving;
      assert.equal(await (await ask("/echo", { method: "POST", body: `${n}` })).text(), String(n));
    }
    await writer.write(new TextEncoder().encode("ow"));
    await writer.close();
    assert.equal(await (await slowly).text(), "slow");
  }, { maxInProgress: 1 });
});
