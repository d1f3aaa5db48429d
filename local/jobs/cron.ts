// Runs the rows of cron.job when they are due, as pg_cron does: each as its user, never beside itself, and writes down how
// it went.
import { Cron } from "croner";
import postgres, { type Sql } from "postgres";
import { connectionOptions } from "../postgres/connection_options.ts";

interface Job {
  readonly jobid: string;
  readonly schedule: string;
  readonly command: string;
  readonly username: string;
}

/** When a job of a schedule is due next, in UTC. Undefined for what is no schedule. */
export function nextRun(schedule: string, after: Date): Date | undefined {
  const seconds = /^(\d{1,2}) seconds?$/i.exec(schedule)?.[1];
  if (seconds !== undefined) return new Date(after.getTime() + Number(seconds) * 1000);
  try {
    // pg_cron writes the last day of the month as $.
    return new Cron(schedule.replaceAll("$", "L"), { timezone: "UTC", paused: true }).nextRun(after) ?? undefined;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const TICK = 1_000;
/** How long jobs that run may take to finish when the platform stops. */
const STOP_PATIENCE = 2_000;

export class CronRunner {
  readonly #due = new Map<string, { readonly schedule: string; readonly at: Date | undefined }>();
  readonly #running = new Map<string, Promise<void>>();
  /** There may be runs whose end nobody wrote down: the platform or the database fell over while they ran. */
  #cutOff = true;
  /** The server's processes that run jobs now. */
  readonly #processes = new Set<number>();
  readonly #sql: Sql;
  /** What the clock said when the jobs were last looked at. */
  #lookedAt = new Date(0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticking: Promise<void> = Promise.resolve();

  /** `superuser` is the superuser's address of the platform's database; jobs of other databases are not run. */
  constructor(
    readonly superuser: string,
    readonly log: (line: string) => void,
    readonly clock: () => Date = () => new Date(),
  ) {
    this.#sql = postgres(superuser, { max: 2, ...connectionOptions });
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#ticking = this.#tick().catch((error) => this.log(`Jobs could not be read: ${error}`));
      this.#ticking.then(() => this.#timer !== undefined && this.start());
    }, TICK);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#ticking;
    const runs = Promise.all(this.#running.values());
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([runs, new Promise((resolve) => timer = setTimeout(resolve, STOP_PATIENCE))]);
    clearTimeout(timer);
    const late = [...this.#processes];
    if (late.length > 0) await this.#sql`select pg_cancel_backend(pid) from unnest(${late}::integer[]) as p (pid)`;
    await runs;
    await this.#sql.end({ timeout: 1 });
  }

  async #tick(): Promise<void> {
    if (this.#cutOff) {
      await this.#sql`
        update cron.job_run_details set status = 'failed', return_message = 'cut off', end_time = clock_timestamp()
        where status = 'running' and database = current_database()
          and jobid <> all (${[...this.#running.keys()]}::bigint[])`;
      this.#cutOff = false;
    }
    const jobs = await this.#sql<Job[]>`
      select jobid::text, schedule, command, username from cron.job where active and database = current_database()`;
    const now = this.clock();
    // The clock was set back: what was due is due by the clock as it is now, not when it has caught up.
    if (now < this.#lookedAt) this.#due.clear();
    this.#lookedAt = now;
    for (const id of this.#due.keys()) if (!jobs.some(({ jobid }) => jobid === id)) this.#due.delete(id);
    for (const job of jobs) {
      const known = this.#due.get(job.jobid);
      if (known?.schedule !== job.schedule) {
        this.#due.set(job.jobid, { schedule: job.schedule, at: nextRun(job.schedule, now) });
      } else if (known.at !== undefined && known.at <= now && !this.#running.has(job.jobid)) {
        this.#due.set(job.jobid, { schedule: job.schedule, at: nextRun(job.schedule, now) });
        const run = this.#run(job)
          .catch((error) => {
            this.#cutOff = true;
            this.log(`Job ${job.jobid} could not be run: ${error}`);
          })
          .finally(() => this.#running.delete(job.jobid));
        this.#running.set(job.jobid, run);
      }
    }
  }

  async #run({ jobid, command, username }: Job): Promise<void> {
    const [run] = await this.#sql<{ runid: string }[]>`
      insert into cron.job_run_details (jobid, database, username, command, status, start_time)
      values (${jobid}, current_database(), ${username}, ${command}, 'running', clock_timestamp()) returning runid::text`;
    const { pid, status, said } = await this.#outcome(command, username);
    if (status === "failed") this.log(`Job ${jobid} failed: ${said}`);
    await this.#sql`
      update cron.job_run_details
      set job_pid = ${pid ?? null}, status = ${status}, return_message = ${said}, end_time = clock_timestamp()
      where runid = ${run!.runid}`;
  }

  /** Runs a command on a connection of its own. */
  async #outcome(
    command: string,
    username: string,
  ): Promise<{ pid: number | undefined; status: string; said: string }> {
    const own = postgres(this.superuser, { max: 1, ...connectionOptions });
    let pid: number | undefined;
    try {
      pid = (await own<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid;
      this.#processes.add(pid);
      await own`set session authorization ${own(username)}`;
      const result = await own.unsafe(command);
      return { pid, status: "succeeded", said: `${result.command ?? ""} ${result.count ?? ""}`.trim() };
    } catch (error) {
      return { pid, status: "failed", said: String(error) };
    } finally {
      if (pid !== undefined) this.#processes.delete(pid);
      await own.end({ timeout: 1 });
    }
  }
}
