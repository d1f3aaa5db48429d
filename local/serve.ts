// The process of the gateway and of all parts but Postgres. `deno task dev` starts it, and starts it again when it ends.
import type { SamplePerson } from "../tools/seed/people/sample_people.ts";
import { type Platform, type PlatformOptions, startPlatform } from "./platform.ts";
import { type DatabaseMessage, RemoteDatabases } from "./postgres/databases.ts";
import { TextLineStream } from "./functions/lines.ts";
import type { Status } from "./settings.ts";
import { OPTIONS } from "./supervisor.ts";

export type ServedOptions = Omit<PlatformOptions, "name" | "onStep" | "log" | "onStop" | "supervisor">;

export interface Ready {
  readonly status: Status;
  readonly people: readonly SamplePerson[];
}

/** What the process sends to the one that started it. */
export type ServedMessage =
  | { readonly step: string }
  | { readonly ready: Ready }
  | { readonly failure: string }
  | { readonly request: "stop" | "rebuild" };

async function serve(marker: string): Promise<void> {
  const options: ServedOptions = JSON.parse(Deno.env.get(OPTIONS) ?? "{}");
  const send = (message: number | ServedMessage) => console.log(marker + JSON.stringify(message));
  const databases = new RemoteDatabases(() => send({ request: "rebuild" }));
  receive(databases);
  send(options.port);

  let platform: Platform | undefined;
  Deno.addSignalListener("SIGTERM", async () => {
    await platform?.stop();
    Deno.exit(0);
  });
  // A terminal sends these to every process. The one that started this one ends it.
  for (const signal of ["SIGINT", "SIGHUP"] as const) Deno.addSignalListener(signal, () => {});

  try {
    platform = await startPlatform({
      ...options,
      supervisor: { pid: Deno.ppid, databases },
      onStep: (step) => send({ step }),
      log: (line) => console.log(line),
      onStop: () => send({ request: "stop" }),
    });
    send({ ready: { status: platform.status, people: platform.people } });
  } catch (error) {
    send({ failure: error instanceof Error ? error.message : String(error) });
    Deno.exit(1);
  }
}

/** The other process holds the input open as long as it runs. */
async function receive(databases: RemoteDatabases): Promise<never> {
  for await (const line of Deno.stdin.readable.pipeThrough(new TextLineStream())) {
    const message: DatabaseMessage = JSON.parse(line);
    databases.receive(message);
  }
  Deno.exit(1);
}

if (import.meta.main) await serve(Deno.args[0] ?? "");
