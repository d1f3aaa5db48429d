/** The names of people and lots that the service names by their ids only. Each is read once, lots several at a time. */
import { signal } from "@preact/signals";
import { client, may, me } from "./access.ts";

type Kind = "user" | "lot" | "administrator";

const known = signal<ReadonlyMap<string, string>>(new Map());
/** What was asked for; what cannot be read is not asked for again. */
const asked = new Set<string>();
const waiting: Record<Kind, string[]> = { user: [], lot: [], administrator: [] };
let timer: ReturnType<typeof setTimeout> | undefined;

/** The lots of a request: `ids` takes no more. */
const BATCH = 100;
const PAUSE_MS = 30;

/** The name of a person or lot; undefined until it is known, and if the administrator may not read it. */
export function nameOf(kind: Kind, id: string): string | undefined {
  if (kind === "administrator" && id === me.value?.admin?.id) return me.value.admin.name ?? me.value.email ?? undefined;
  const key = `${kind} ${id}`;
  if (!asked.has(key)) {
    asked.add(key);
    waiting[kind].push(id);
    timer ??= setTimeout(readNames, PAUSE_MS);
  }
  return known.value.get(key);
}

const learn = (kind: Kind, names: readonly (readonly [id: string, name: string | null])[]) =>
  known.value = new Map([
    ...known.value,
    ...names.flatMap(([id, name]) => name === null ? [] : [[`${kind} ${id}`, name] as const]),
  ]);

/** A list without names is still a list: a name that cannot be read leaves a word for it. */
function readNames(): void {
  timer = undefined;
  const [users, lots, administrators] = [
    waiting.user.splice(0),
    waiting.lot.splice(0),
    waiting.administrator.splice(0),
  ];
  const failed = (error: unknown) => console.warn("Names could not be read.", error);
  for (let first = 0; first < lots.length; first += BATCH) {
    readLots(lots.slice(first, first + BATCH)).catch(failed);
  }
  if (users.length > 0 && may("users")) void readUsers(users).catch(failed);
  if (administrators.length > 0 && may("admins")) readAdministrators().catch(failed);
}

async function readLots(ids: readonly string[]): Promise<void> {
  const query = { ids: ids.join(","), limit: BATCH } as never;
  const { data } = await client.GET("/v1/parking-lots", { params: { query } });
  learn("lot", data.items.map((lot) => [lot.id, "name" in lot ? lot.name : null]));
}

/** One after another: a page of activities has few people. */
async function readUsers(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { data } = await client.GET("/v1/admin/users/{id}", { params: { path: { id } } });
    learn("user", [[id, data.display_name ?? data.email]]);
  }
}

async function readAdministrators(): Promise<void> {
  for await (const { id, name, email } of client.pages("/v1/admin/admins")) {
    learn("administrator", [[id, name ?? email]]);
  }
}
