import { strict as assert } from "node:assert";
import { functionSecrets } from "../../local/functions/secrets.ts";

async function secretsOf(text: string): Promise<Record<string, string>> {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, text);
    return await functionSecrets(file);
  } finally {
    await Deno.remove(file);
  }
}

Deno.test("functions/.env: secrets override the example apps, and names of the platform are ignored", async () => {
  const { APPLE_APP_IDS, ANDROID_PACKAGE, ...others } = await secretsOf(
    '# ours\nAPPLE_APP_IDS=ZYXWV98765.jp.example\nexport ONE = 1 # first\n\nTWO="a = b\nno name\nend"\r\nSUPABASE_URL=http://x\n',
  );
  assert.equal(APPLE_APP_IDS, "ZYXWV98765.jp.example");
  assert.equal(ANDROID_PACKAGE, "com.example.parking");
  assert.deepEqual([others["ONE"], others["TWO"], others["SUPABASE_URL"]], ["1", "a = b\nno name\nend", undefined]);
});

Deno.test("functions/.env: an invalid line is rejected with its number", async () => {
  for (const [text, line] of [["A=1\nnonsense\n", 2], ['A="x\ny"\n: no', 3], ["1A=1", 1]] as const) {
    await assert.rejects(secretsOf(text), { message: new RegExp(`, line ${line} is not of the form NAME=value\\.$`) });
  }
});
