// Files for the importer, written where a test can find them and gone when its file is done.
import { join } from "node:path";

const folder = await Deno.makeTempDir({ prefix: "importer-test-" });
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

export async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, `${crypto.randomUUID().slice(0, 8)}-${name}`);
  await (typeof content === "string" ? Deno.writeTextFile(path, content) : Deno.writeFile(path, content));
  return path;
}

const toShiftJis = new Map<string, number[]>();

/** Every character that two bytes of Shift_JIS can hold, found by decoding them: the platform only decodes. */
function fillShiftJis(): void {
  const decoder = new TextDecoder("shift_jis");
  for (let lead = 0x81; lead <= 0xfc; lead++) {
    if (lead > 0x9f && lead < 0xe0) continue;
    for (let trail = 0x40; trail <= 0xfc; trail++) {
      const character = decoder.decode(new Uint8Array([lead, trail]));
      if ([...character].length === 1 && character !== "\ufffd" && !toShiftJis.has(character)) {
        toShiftJis.set(character, [lead, trail]);
      }
    }
  }
}

export function shiftJis(text: string): Uint8Array {
  if (toShiftJis.size === 0) fillShiftJis();
  return new Uint8Array(
    [...text].flatMap((character) => {
      const code = character.charCodeAt(0);
      if (code < 0x80) return [code];
      if (code >= 0xff61 && code <= 0xff9f) return [code - 0xfec0];
      const bytes = toShiftJis.get(character);
      if (bytes === undefined) throw new Error(`Shift_JIS has no ${character}`);
      return bytes;
    }),
  );
}

export interface FeatureOf {
  readonly id?: string;
  readonly geometry?: unknown;
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
