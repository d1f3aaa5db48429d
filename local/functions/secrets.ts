// supabase/functions/.env: a developer's own secrets for the functions, in the format of `supabase functions serve`.
import { join } from "node:path";
import { parseEnv } from "node:util";
import { FUNCTIONS } from "../settings.ts";
import { readOr } from "../files.ts";

/** Apps that do not exist, so that /.well-known has documents; a developer may set others. */
const EXAMPLE_APPS = {
  APPLE_APP_IDS: "ABCDE12345.com.example.parking",
  ANDROID_PACKAGE: "com.example.parking",
  ANDROID_CERT_FINGERPRINTS: Array(32).fill("AB").join(":"),
};

export async function functionSecrets(file = join(FUNCTIONS, ".env")): Promise<Record<string, string>> {
  const text = await readOr(file, "");
  rejectStrayLines(text, file);
  const secrets: Record<string, string> = { ...EXAMPLE_APPS };
  for (const [name, value] of Object.entries(parseEnv(text))) {
    // The platform sets these names; a hosted project rejects them too.
    if (!name.startsWith("SUPABASE_") && value !== undefined) secrets[name] = value;
  }
  return secrets;
}

/** The parser ignores lines that it cannot parse. An error here is easier to find than a secret that is missing later. */
function rejectStrayLines(text: string, file: string): void {
  const quoted = /=[ \t]*(["'`])[^]*?\1/g;
  const lines = text.replace(quoted, (value) => "=" + value.replace(/[^\n]/g, "")).split("\n");
  const stray = lines.findIndex((line) => !/^\s*(#.*|(export\s+)?[A-Za-z_][\w.-]*\s*=.*)?$/.test(line));
  if (stray >= 0) throw new Error(`${file}, line ${stray + 1} is not of the form NAME=value.`);
}
