// The Data API library prints every database error it answers with, refusals included. Postgres's log has them already,
// so these lines are dropped; everything else that is printed stays.

let quiet = false;

export function quietLibrary(): void {
  if (quiet) return;
  quiet = true;
  const print = console.error;
  console.error = (...values: unknown[]) => {
    if (values.length === 1 && isDatabaseError(values[0])) return;
    print(...values);
  };
}

function isDatabaseError(value: unknown): boolean {
  if (value instanceof Error && "relation" in value && "schema" in value) return true; // no such table
  return typeof value === "object" && value !== null && "code" in value && "message" in value &&
    typeof value.code === "string" && /^(PGRST|[0-9A-Z]{5})$/.test(value.code);
}
