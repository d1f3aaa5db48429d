// Postgres refuses to run as root. A container's root user therefore runs it under another user: in a user namespace of
// its own where that is allowed, else as an unprivileged user with a home that this user can reach.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";

export interface Identity {
  /** Where the programs and the data live. */
  readonly home: string;
  /** Gives a path to the user Postgres runs as. */
  own(path: string): Promise<void>;
  /** The command that runs a Postgres program; a server stops when this process dies, where the system can do that. */
  command(program: string, args: readonly string[], options: Deno.CommandOptions): Deno.Command;
}

const UNPRIVILEGED = 65534;

/** How Postgres runs on this machine. `root` is the folder for local state. */
export async function identify(root: string): Promise<Identity> {
  const dieWithParent = await canRun("setpriv", ["--pdeathsig", "SIGINT", "true"])
    ? ["setpriv", "--pdeathsig", "SIGINT"]
    : [];
  if (Deno.uid() !== 0) return prefixed(root, dieWithParent);

  const namespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000"];
  if (await canRun("unshare", [...namespace.slice(1), "true"])) return prefixed(root, [...namespace, ...dieWithParent]);
  return unprivileged(root);
}

function prefixed(home: string, prefix: readonly string[]): Identity {
  return {
    home,
    own: () => Promise.resolve(),
    command(program, args, options) {
      const [first, ...rest] = [...prefix, program, ...args];
      return new Deno.Command(first ?? program, { ...options, args: rest });
    },
  };
}

/** Root's folders are often closed to others, so this user has a home among the temporary files. */
export function unprivileged(root: string): Identity {
  const name = createHash("sha256").update(root).digest("hex").slice(0, 12);
  return {
    home: join(tmpdir(), `parking-lot-service-${name}`),
    own: (path) => Deno.chown(path, UNPRIVILEGED, UNPRIVILEGED),
    command: (program, args, options) =>
      new Deno.Command(program, { ...options, args: [...args], uid: UNPRIVILEGED, gid: UNPRIVILEGED, cwd: "/" }),
  };
}

async function canRun(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, { args: [...args], stdout: "null", stderr: "null" }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
