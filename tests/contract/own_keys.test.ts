// The keys of the local platform: made once for each copy of the repository, and not part of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type OwnKeys, ownKeys } from "../../local/own_keys.ts";
import { ROOT, status } from "../../local/settings.ts";

async function inFolder(run: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(join(folder, "state"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("keys of the platform: are made at the first start, stay, and are readable for their owner only", async () => {
  await inFolder(async (folder) => {
    const keys = ownKeys(folder);
    assert.match(keys.SECRET_KEY, /^sb_secret_[\w-]{22}_[\w-]{8}$/);
    assert.ok(keys.JWT_SECRET.length >= 32);
    assert.deepEqual(ownKeys(folder), keys);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert.deepEqual(names, ["keys.json"]);
    if (Deno.build.os !== "windows") assert.equal((await Deno.stat(join(folder, "keys.json"))).mode! & 0o777, 0o600);
    await inFolder((other) => assert.equal(new Set([keys, ownKeys(other)].flatMap(Object.values)).size, 6));
  });
});

Deno.test("keys of the platform: processes that start at once have the same keys", async () => {
  await inFolder(async (folder) => {
    const program = `import { ownKeys } from "./local/own_keys.ts"; console.log(JSON.stringify(ownKeys(Deno.args[0])))`;
    const made = await Promise.all(Array.from({ length: 4 }, async (): Promise<OwnKeys> => {
      const args = ["eval", "--no-lock", program, folder];
      const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
      return JSON.parse(new TextDecoder().decode(stdout));
    }));
    for (const keys of made) assert.deepEqual(keys, ownKeys(folder));
  });
});

Deno.test("keys of the platform: a damaged file is reported with its path", async () => {
  await inFolder((folder) => {
    Deno.mkdirSync(folder);
    Deno.writeTextFileSync(join(folder, "keys.json"), "{");
    assert.throws(() => ownKeys(folder), /keys\.json is damaged\. Delete it/);
  });
});

Deno.test("keys of the platform: no tracked file has one", async () => {
  const { SECRET_KEY, JWT_SECRET, SERVICE_ROLE_KEY, S3_PROTOCOL_ACCESS_KEY_SECRET } = status(1, "");
  for (const key of [SECRET_KEY, JWT_SECRET, SERVICE_ROLE_KEY, S3_PROTOCOL_ACCESS_KEY_SECRET]) {
    const args = ["grep", "--quiet", "--fixed-strings", "-e", key];
    const { code } = await new Deno.Command("git", { args, cwd: ROOT }).output();
    assert.equal(code, 1);
  }
});
