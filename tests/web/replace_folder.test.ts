// apps/replace_folder.ts: folders that processes build while others serve them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { replaceFolder } from "../../apps/replace_folder.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    await run(join(parent, "built"));
    assert.deepEqual([...Deno.readDirSync(parent)].map(({ name }) => name), ["built"]);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

const writing = (files: Readonly<Record<string, string>>) => async (folder: string) => {
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(join(folder, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, name), text);
  }
};

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("built folders: a build of other files replaces what was there", async () => {
  await inFolder(async (folder) => {
    await replaceFolder(folder, writing({ "index.html": "a", "old.js": "a", "icons/one.svg": "a" }));
    await replaceFolder(folder, writing({ "index.html": "b", "icons/one.svg": "a" }));
    assert.deepEqual(namesIn(folder), ["icons", "index.html"]);
    assert.equal(await Deno.readTextFile(join(folder, "index.html")), "b");
    await replaceFolder(folder, writing({ "index.html": "b", "icons/one.svg": "b" }));
    assert.equal(await Deno.readTextFile(join(folder, "icons/one.svg")), "b");
  });
});

Deno.test("built folders: a build that fails leaves what was there", async () => {
  await inFolder(async (folder) => {
    await replaceFolder(folder, writing({ "index.html": "a" }));
    await assert.rejects(replaceFolder(folder, () => Promise.reject(new Error("no build"))), /no build/);
    assert.equal(await Deno.readTextFile(join(folder, "index.html")), "a");
  });
});

Deno.test("built folders: while the same is built again, a reader finds every file", async () => {
  await inFolder(async (folder) => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`part/${index}.js`, "x".repeat(index)]),
    );
    await replaceFolder(folder, writing(files));
    let isBuilding = true;
    const reader = (async () => {
      let reads = 0;
      for (; isBuilding; reads++) await Deno.readTextFile(join(folder, `part/${reads % 50}.js`));
      return reads;
    })();
    for (let build = 0; build < 10; build++) await replaceFolder(folder, writing(files));
    isBuilding = false;
    assert.ok(await reader > 0);
  });
});
