// deno task places: brings the places of Japan into a database. See docs/operations/places.md and --help.
import { parseArgs } from "node:util";
import postgres from "postgres";
import { connectionOptions } from "../../local/postgres/connection_options.ts";
import { ownPlatform } from "../../local/commands.ts";
import { gatewayPort } from "../../local/settings.ts";
import { loadPlaces } from "./load.ts";

const HELP = `deno task places [--db-url <url>]

Brings stations, towns, interchanges and landmarks of Japan into private.places, with their names. A version that is there
is not loaded again. A newer one replaces it: what it lacks is deleted. Everything is written in one transaction, so after
an interruption the same command begins again.

  --db-url <url>   default: DB_URL, else the running local platform

Exit code: 0 the places are there; 1 failed, and nothing was changed; 2 the command is wrong.`;

/** The database of the option, of the environment, or of the local platform that runs. */
async function databaseUrl(option: string | undefined): Promise<string | undefined> {
  return option ?? (Deno.env.get("DB_URL") || (await ownPlatform(gatewayPort()))?.status?.DB_URL);
}

async function main(): Promise<number> {
  let option: string | undefined;
  try {
    const { values } = parseArgs({
      args: Deno.args.filter((word) => word !== "--"),
      options: { "db-url": { type: "string" }, help: { type: "boolean", short: "h", default: false } },
    });
    if (values.help) {
      console.log(HELP);
      return 0;
    }
    option = values["db-url"];
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return 2;
  }
  const url = await databaseUrl(option);
  if (url === undefined) {
    console.error("No database. Start the local platform (deno task dev), or set --db-url or DB_URL.");
    return 1;
  }
  const sql = postgres(url, { max: 1, ...connectionOptions });
  try {
    const { places, version, isNew } = await loadPlaces(sql, console.log);
    console.log(`${isNew ? "Loaded" : "Already there:"} ${places} places, version ${version}.`);
    return 0;
  } catch (error) {
    console.error(`Nothing was changed: ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    await sql.end();
  }
}

if (import.meta.main) Deno.exit(await main());
