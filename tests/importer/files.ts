// Files for the importer, written where a test can find them and gone when its file is done.
import { join } from "node:path";

const folder = await Deno.makeTempDir({ prefix: "importer-test-" });
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

export async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, `${crypto.randomUUID().slice(0, 8)}-${name}`);
  await (typeof content === "string" ? Deno.writeTextFile(path, content) : Deno.writeFile(path, content));
  return path;
}

export interface FeatureOf {
  readonly id?: string;
  readonly geometry?: unknown;
  readonly crs?: unknown;
  readonly properties?: Record<string, unknown>;
}

export function collection(features: readonly FeatureOf[]): string {
  return JSON.stringify({
    type: "FeatureCollection",
    features: features.map((feature) => ({ type: "Feature", ...feature })),
  });
}

export function point(lng: number, lat: number) {
  return { type: "Point", coordinates: [lng, lat] };
}
