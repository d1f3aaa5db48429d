// Calls of functions through the Data API, and functions made for a test.
import postgres from "postgres";
import { eventually } from "./eventually.ts";
import { stack } from "./stack.ts";

/** POST to /rest/v1/rpc/<name>, anonymous unless the headers say otherwise. */
export function rpc(name: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${stack().restUrl}/rpc/${name}`, {
    method: "POST",
    headers: {
      apikey: stack().publishableKey,
      "content-type": "application/json",
      "content-profile": "api",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** The status and the code of a reply. */
export async function codeOf(answer: Response): Promise<[number, string]> {
  return [answer.status, (await answer.json()).code];
}

/** A function in schema api while `run` runs, callable by everyone. It is not called before. */
export async function withFunction(definition: string, run: (name: string) => Promise<void>): Promise<void> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const sql = postgres(stack().dbUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`create function api.${name}${definition};
      grant execute on function api.${name} to anon, authenticated, service_role;
      notify pgrst, 'reload schema';`);
    await eventually(async () => {
      // It has no such parameter, and the error names it once it is known.
      const answer = await rpc(name, { no_such_parameter: 1 });
      const { hint } = Object(await answer.json());
      return answer.status === 404 && hint === null ? undefined : true;
    });
    await run(name);
  } finally {
    await sql.unsafe(`drop function if exists api.${name}; notify pgrst, 'reload schema';`);
    await sql.end();
  }
}
