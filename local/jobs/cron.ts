// Runs the rows of cron.job when they are due, as pg_cron does: each as its user, never beside itself, and writes down how
// it went.
import { Cron } from "croner";
import postgres, { type Sql } from "postgres";
import { patient } from "../database/connection.ts";

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

export class CronRunner {
  readonly #due = new Map<string, { readonly schedule: string; readonly at: Date | undefined }>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #sql: Sql;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticking: Promise<void> = Promise.resolve();

  /** `superuser` is the superuser's address of the platform's database; jobs of other databases are not run. */
  constructor(readonly superuser: string, readonly log: (line: string) => void) {
    this.#sql = postgres(superuser, { max: 2, ...patient });
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
    await Promise.all(this.#running.values());
    await this.#sql.end({ timeout: 1 });
  }

  async #tick(): Promise<void> {
    const jobs = await this.#sql<Job[]>`
      select jobid::text, schedule, command, username from cron.job where active and database = current_database()`;
    const now = new Date();
    for (const id of this.#due.keys()) if (!jobs.some(({ jobid }) => jobid === id)) this.#due.delete(id);
    for (const job of jobs) {
      const known = this.#due.get(job.jobid);
      if (known?.schedule !== job.schedule) {
        this.#due.set(job.jobid, { schedule: job.schedule, at: nextRun(job.schedule, now) });
      } else if (known.at !== undefined && known.at <= now && !this.#running.has(job.jobid)) {
        this.#due.set(job.jobid, { schedule: job.schedule, at: nextRun(job.schedule, now) });
        const run = this.#run(job).catch((error) => this.log(`Job ${job.jobid} could not be run: ${error}`));
        this.#running.set(job.jobid, run);
        run.finally(() => this.#running.delete(job.jobid));
      }
    }
  }

  async #run({ jobid, command, username }: Job): Promise<void> {
    const [run] = await this.#sql<{ runid: string }[]>`
      insert into cron.job_run_details (jobid, database, username, command, status, start_time)
      values (${jobid}, current_database(), ${username}, ${command}, 'running', clock_timestamp()) returning runid::text`;
    const own = postgres(this.superuser, { max: 1, ...patient });
    let status = "succeeded";
    let said: string;
    try {
      await own`set session authorization ${own(username)}`;
      const result = await own.unsafe(command);
      said = `${result.command ?? ""} ${result.count ?? ""}`.trim();
    } catch (error) {
      [status, said] = ["failed", String(error)];
      this.log(`Job ${jobid} failed: ${error}`);
    } finally {
      await own.end({ timeout: 1 });
    }
    await this.#sql`
      update cron.job_run_details set status = ${status}, return_message = ${said}, end_time = clock_timestamp()
      where runid = ${run!.runid}`;
  }
}
