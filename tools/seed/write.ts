// Writes supabase/seed.sql. A test fails when the file and this folder disagree.
import { seedSql } from "./seed.ts";

const path = new URL("../../supabase/seed.sql", import.meta.url);
await Deno.writeTextFile(path, seedSql());
