// What the applications of apps/ serve on the platform. Each has a module served.ts; the platform knows none of them.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../settings.ts";

/** The response to a request for an application; undefined for any other request. */
export type Serve = (request: Request, pathname: string) => Promise<Response> | undefined;

const APPLICATIONS = join(ROOT, "apps");

export async function applications(): Promise<Serve> {
  const folders = (await Array.fromAsync(Deno.readDir(APPLICATIONS))).filter(({ isDirectory }) => isDirectory);
  const all = await Promise.all(folders.map(async ({ name }) => {
    const { served }: { served: Serve } = await import(pathToFileURL(join(APPLICATIONS, name, "served.ts")).href);
    return served;
  }));
  return (request, pathname) => {
    for (const serve of all) {
      const response = serve(request, pathname);
      if (response !== undefined) return response;
    }
    return undefined;
  };
}
