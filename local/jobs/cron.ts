// Runs the rows of cron.job when they are due, as pg_cron does: each as its user, never two runs of a job at once. Records
// each run.
import { Cron } from "croner";
import postgres, { type Sql } from "postgres";
import { connectionOptions } from "../postgres/connection_options.ts";
import { withTimeout } from "../timeout.ts";

interface Job {
  readonly jobid: string;
  readonly schedule: string;
  readonly command: string;
  readonly username: string;
}

/** The next time of a schedule, in UTC. Undefined for an invalid schedule. */
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

const TICK_MS = 1_000;
/** The name of the connections that run jobs. */
const APPLICATION = "pg_cron";
/** The time for running jobs to finish when the platform stops. */
const STOP_TIMEOUT_MS = 2_000;

export class CronRunner {
  readonly #due = new Map<string, { readonly schedule: string; readonly at: Date | undefined }>();
  readonly #running = new Map<string, Promise<void>>();
  /** Whether there may be unfinished records of runs, because the platform or the database crashed. */
  #hasUnfinished = true;
  /** The database connections that run jobs now. */
  readonly #processes = new Set<number>();
  readonly #sql: Sql;
  /** The time of the last tick. */
  #lastTick = new Date(0);
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
    }, TICK_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#ticking;
    const runs = Promise.all(this.#running.values());
    await withTimeout(runs, STOP_TIMEOUT_MS, () => {});
    const late = [...this.#processes];
    if (late.length > 0) await this.#sql`select pg_cancel_backend(pid) from unnest(${late}::integer[]) as p (pid)`;
    await runs;
    await this.#sql.end({ timeout: 1 });
  }

  async #tick(): Promise<void> {
    // The jobs of a platform that was killed run on, if Postgres was not.
    if (this.#lastTick.getTime() === 0) {
      await this.#sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = ${APPLICATION} and datname = current_database()`;
    }
    if (this.#hasUnfinished) {
      await this.#sql`
        update cron.job_run_details set status = 'failed', return_message = 'cut off', end_time = clock_timestamp()
        where status = 'running' and database = current_database()
          and jobid <> all (${[...this.#running.keys()]}::bigint[])`;
      this.#hasUnfinished = false;
    }
    const jobs = await this.#sql<Job[]>`
      select jobid::text, schedule, command, username from cron.job where active and database = current_database()`;
    const now = this.clock();
    // The clock was set back: due times are computed again.
    if (now < this.#lastTick) this.#due.clear();
    this.#lastTick = now;
    for (const id of this.#due.keys()) if (!jobs.some(({ jobid }) => jobid === id)) this.#due.delete(id);
    for (const job of jobs) {
      const known = this.#due.get(job.jobid);
      if (known?.schedule !== job.schedule) {
        this.#due.set(job.jobid, { schedule: job.schedule, at: nextRun(job.schedule, now) });
      } else if (known.at !== undefined && known.at <= now && !this.#running.has(job.jobid)) {
        this.#due.set(job.jobid, { schedule: job.schedule, at: nextRun(job.schedule, now) });
        const run = this.#run(job)
          .catch((error) => {
            this.#hasUnfinished = true;
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
    const { pid, status, message } = await this.#outcome(command, username);
    if (status === "failed") this.log(`Job ${jobid} failed: ${message}`);
    await this.#sql`
      update cron.job_run_details
      set job_pid = ${pid ?? null}, status = ${status}, return_message = ${message}, end_time = clock_timestamp()
      where runid = ${run!.runid}`;
  }

  /** Runs a command on a connection of its own. */
  async #outcome(
    command: string,
    username: string,
  ): Promise<{ pid: number | undefined; status: string; message: string }> {
    const own = postgres(this.superuser, {
      max: 1,
      ...connectionOptions,
      connection: { application_name: APPLICATION },
    });
    let pid: number | undefined;
    try {
      pid = (await own<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid;
      this.#processes.add(pid);
      await own`set session authorization ${own(username)}`;
      const result = await own.unsafe(command);
      return { pid, status: "succeeded", message: `${result.command ?? ""} ${result.count ?? ""}`.trim() };
    } catch (error) {
      return { pid, status: "failed", message: String(error) };
    } finally {
      if (pid !== undefined) this.#processes.delete(pid);
      await own.end({ timeout: 1 });
    }
  }
}
