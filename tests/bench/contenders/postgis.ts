// PostGIS of Debian's Postgres (apt-get install postgresql-15-postgis-3), with the same lots, for the comparison.
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import postgres, { type Sql } from "postgres";
import { freePort } from "../../../local/state.ts";
import { identify } from "../../../local/postgres/identity.ts";
import { PostgresServer } from "../../../local/postgres/server.ts";
import { STATE } from "../../../local/settings.ts";
import { activeLots } from "../lots.ts";
import { LIMIT, type Ours } from "./ours.ts";

const DEBIAN = "/usr/lib/postgresql";

/** Undefined when PostGIS is not installed. */
export async function postgis(url: string): Promise<Ours | undefined> {
  const installed = await versionWithPostgis();
  if (installed === undefined) return undefined;
  const bin = join(DEBIAN, installed, "bin");
  const identity = await identify(STATE);
  const folder = join(identity.home, `bench-postgis-${Deno.pid}`);
  await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  const server = new PostgresServer({
    binaries: {
      version: installed,
      folder: dirname(bin),
      initdb: join(bin, "initdb"),
      postgres: join(bin, "postgres"),
    },
    identity,
    folder,
    port: freePort(0)!,
    durable: false,
    onRestart: (reason) => console.error(reason),
  });
  await server.create();
  await server.start();
  const sql = postgres(server.url(), { max: 1, onnotice: () => {} });
  await load(sql, url);
  return {
    contenders: [{
      name: "PostGIS geography KNN",
      run: async ({ lat, lng, radius_m }) =>
        (await sql`
          select id, st_distance(place, here, false) as distance_m
          from lots, (select st_makepoint(${lng}, ${lat})::geography as here) as q
          where st_dwithin(place, here, ${radius_m}, false)
          order by place <-> here
          limit ${LIMIT}`).length,
    }],
    stop: async () => {
      await sql.end();
      await server.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function load(sql: Sql, url: string): Promise<void> {
  await sql.unsafe("create extension postgis; create table loaded (id uuid, lat float8, lng float8)");
  await pipeline(activeLots(url), await sql`copy loaded from stdin`.writable());
  await sql.unsafe("create table lots as select id, st_makepoint(lng, lat)::geography as place from loaded");
  await sql.unsafe("create index on lots using gist (place)");
  await sql.unsafe("vacuum analyze lots");
}

async function versionWithPostgis(): Promise<string | undefined> {
  try {
    for await (const { name } of Deno.readDir(DEBIAN)) {
      const library = join(DEBIAN, name, "lib", "postgis-3.so");
      if (await Deno.stat(library).then(() => true, () => false)) return name;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return undefined;
}
