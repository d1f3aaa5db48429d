// Scheduled jobs and HTTP requests of the database, and the secrets that they need.
import postgres from "postgres";
import { connectionOptions } from "../postgres/connection_options.ts";
import type { Status } from "../settings.ts";
import { CronRunner } from "./cron.ts";
import { NetWorker } from "./net.ts";

export class Jobs {
  private constructor(readonly cron: CronRunner, readonly net: NetWorker) {}

  static async start(superuser: string, current: Status, log: (line: string) => void): Promise<Jobs> {
    await storeSecrets(superuser, { project_url: current.API_URL, service_role_key: current.SECRET_KEY });
    const jobs = new Jobs(new CronRunner(superuser, log), new NetWorker(superuser, log));
    await jobs.net.start();
    jobs.cron.start();
    return jobs;
  }

  async stop(): Promise<void> {
    await this.cron.stop();
    await this.net.stop();
  }
}

/** Stores the secrets that an operator of a hosted project stores once (docs/operations/deploy.md). The address may change here. */
async function storeSecrets(superuser: string, secrets: Record<string, string>): Promise<void> {
  const sql = postgres(superuser, { max: 1, ...connectionOptions });
  try {
    for (const [name, value] of Object.entries(secrets)) {
      const [kept] = await sql<{ id: string }[]>`select id from vault.secrets where name = ${name}`;
      if (kept === undefined) await sql`select vault.create_secret(${value}, ${name})`;
      else await sql`select vault.update_secret(${kept.id}, ${value})`;
    }
  } finally {
    await sql.end();
  }
}
