/// <reference lib="dom" />
/** Parts of the application that are loaded when they are needed, also after a lost connection or a new version. */
import { counted } from "./quiet.ts";

/** There is no connection: the part can be loaded later. */
export class OfflineError extends Error {
  override readonly name = "OfflineError";
}

/** The host does not have the part any more, also after a reload. */
export class LostPartError extends Error {
  override readonly name = "LostPartError";
}

/** What Chrome, Firefox and Safari say of a module that they could not fetch; Safari does not say which. */
const NOT_FETCHED =
  /^(?:Failed to fetch|error loading) dynamically imported module:? ?(\S*)|^Importing a module script failed/;

let attempts = 0;

/** Loads a part of a module. A lost one is requested again; if the host is there without it, the page reloads, but once. */
export async function loadPart<Module, Part>(
  load: () => Promise<Module>,
  pick: (module: Module) => Part,
): Promise<Part> {
  try {
    return pick(await counted(load()));
  } catch (error) {
    const [isLost, address] = (error instanceof Error ? error.message : "").match(NOT_FETCHED) ?? [];
    if (isLost === undefined) throw error;
    // The browser keeps a failed module under its address.
    const again = address ? await importAgain<Module>(address) : undefined;
    if (again !== undefined) return pick(again);
    if (!await isHostThere()) throw new OfflineError("There is no connection.", { cause: error });
    if (hasReloaded(address ?? "")) throw new LostPartError("A part of the page is missing.", { cause: error });
    location.reload();
    return await new Promise<never>(() => {});
  }
}

async function importAgain<Module>(address: string): Promise<Module | undefined> {
  try {
    return await import(`${address}?again=${++attempts}`);
  } catch (error) {
    if (error instanceof Error && NOT_FETCHED.test(error.message)) return undefined;
    throw error;
  }
}

async function isHostThere(): Promise<boolean> {
  const request = new Request("settings.json", { method: "HEAD", cache: "no-store" });
  return await fetch(request).then(({ ok }) => ok, () => false);
}

/** Whether this tab has reloaded for the part; from now on it has. */
export function hasReloaded(part: string): boolean {
  const name = `reloaded ${part}`;
  const before = sessionStorage.getItem(name) !== null;
  sessionStorage.setItem(name, "");
  return before;
}
