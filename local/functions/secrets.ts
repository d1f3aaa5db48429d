// supabase/functions/.env: a developer's own secrets for the functions, read as `supabase functions serve` reads them.
import { join } from "node:path";
import { parseEnv } from "node:util";
import { FUNCTIONS } from "../settings.ts";
import { readOr } from "../state.ts";

export async function functionSecrets(): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(await readOr(join(FUNCTIONS, ".env"), "")))) {
    // Names that start so are the platform's; a hosted project refuses them too.
    if (!name.startsWith("SUPABASE_") && value !== undefined) secrets[name] = value;
  }
  return secrets;
}
