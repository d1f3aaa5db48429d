// Processes by number: whether one runs, its command line, and waiting for its exit.
import process from "node:process";

/** Whether the process runs. A zombie, which has ended but was not reaped by its parent, does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return Deno.build.os !== "linux" || !ended(pid);
}

function ended(pid: number): boolean {
  try {
    // pid (name) state ...: the name may hold any character, so the state is what follows the last bracket.
    return /\) [ZX] [^)]*$/.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch (error) {
    if (!hasEnded(error)) throw error;
    return true;
  }
}

/** Whether a file of a process was not read because the process has ended: before it was opened, or after (ESRCH). */
export function hasEnded(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Error && error.message.endsWith("(os error 3)");
}

/** The command line of a process, or undefined when there is no such process. */
export async function commandLine(pid: number): Promise<string | undefined> {
  try {
    return (await Deno.readTextFile(`/proc/${pid}/cmdline`)).replaceAll("\0", " ").trim();
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
  if (Deno.build.os === "linux") return undefined;
  const { success, stdout } = await new Deno.Command("ps", { args: ["-o", "args=", "-p", String(pid)] }).output();
  return success ? new TextDecoder().decode(stdout).trim() : undefined;
}

/** The folder that a process works in; undefined if this machine does not show it. */
export async function workingFolder(pid: number): Promise<string | undefined> {
  if (Deno.build.os === "windows") return undefined;
  try {
    if (Deno.build.os === "linux") return await Deno.readLink(`/proc/${pid}/cwd`);
    const { stdout } = await new Deno.Command("lsof", { args: ["-a", "-p", String(pid), "-d", "cwd", "-Fn"] }).output();
    return new TextDecoder().decode(stdout).match(/^n(.+)$/m)?.[1];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return undefined;
    throw error;
  }
}

/** Waits until the process has ended; false if it still runs after `milliseconds`. */
export async function waitForExit(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** Sends the signals one after another, each with its timeout in milliseconds, until the process has ended. */
export async function stopProcess(pid: number, signals: readonly [Deno.Signal, number][]): Promise<void> {
  for (const [signal, timeoutMs] of signals) {
    if (!isRunning(pid)) return;
    process.kill(pid, signal);
    if (await waitForExit(pid, timeoutMs)) return;
  }
  throw new Error(`Process ${pid} did not stop`);
}

export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** The command line. */
  readonly args: string;
}

/** The processes of this machine; none on Windows. */
export async function processes(): Promise<Process[]> {
  if (Deno.build.os === "windows") return [];
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,ppid=,args="] }).output();
  const found: Process[] = [];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const [, pid, parent, args] = line.match(/^\s*(\d+)\s+(\d+)\s+(.*)$/) ?? [];
    if (args !== undefined) found.push({ pid: Number(pid), parent: Number(parent), args });
  }
  return found;
}
