// client/: a loop over a long list keeps one page, or one line, in memory.
import assert from "node:assert/strict";

/** The most bytes that reading so many items of a kilobyte needs. */
async function growth(kind: "pages" | "stream", items: number): Promise<number> {
  const program = new URL("memory_program.ts", import.meta.url).pathname;
  const args = ["run", "-A", "--quiet", "--no-check", "--v8-flags=--expose-gc", program, kind, `${items}`];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  const decoder = new TextDecoder();
  assert.ok(success, decoder.decode(stderr));
  return Number(decoder.decode(stdout));
}

for (const kind of ["pages", "stream"] as const) {
  Deno.test(`client ${kind}: 10,000 items need as much memory as 1,000`, async () => {
    const [few, many] = [await growth(kind, 1_000), await growth(kind, 10_000)];
    console.log(`client ${kind}: ${few} bytes for 1,000 items, ${many} bytes for 10,000`);
    // The items that are more have 9 MB.
    assert.ok(many - few < 2_000_000, `${many - few} bytes`);
  });
}
