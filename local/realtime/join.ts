// What a client asks for when it joins a topic. A setting that is not understood counts as not given, as hosted.
import { isObject } from "./serializer.ts";
import { isKey } from "./tokens.ts";
import type { Binding } from "./types.ts";

export interface Join {
  /** The channel's own token, when it brings one. */
  readonly token: string | undefined;
  readonly isPrivate: boolean;
  /** Whether a broadcast is answered, and whether it comes back to its sender. */
  readonly ack: boolean;
  readonly self: boolean;
  /** Whether old broadcasts are asked for. */
  readonly replay: boolean;
  readonly replicationReady: boolean;
  readonly hearsPresence: boolean;
  readonly presenceKey: string;
  readonly bindings: readonly Binding[];
  /** How long the answer may wait for the subscription, in milliseconds; undefined when it does not wait. */
  readonly wait: number | undefined;
}

const WAIT = 15_000;
const LONGEST_WAIT = 20_000;

export function readJoin(payload: unknown): Join {
  const asked = part(payload);
  const config = part(asked["config"]);
  const broadcast = part(config["broadcast"]);
  const presence = part(config["presence"]);
  const options = part(config["postgres_changes_options"]);
  const changes = config["postgres_changes"];
  const key = presence["key"];
  const timeout = options["timeout"];
  return {
    token: tokenOf(asked),
    isPrivate: yes(config["private"]),
    ack: yes(broadcast["ack"]),
    self: yes(broadcast["self"]),
    replay: broadcast["replay"] !== undefined && broadcast["replay"] !== null,
    replicationReady: yes(broadcast["replication_ready"]),
    hearsPresence: yes(presence["enabled"]),
    presenceKey: typeof key === "string" && key !== "" ? key : crypto.randomUUID(),
    bindings: Array.isArray(changes) ? changes.filter(isObject) : [],
    wait: yes(options["wait"]) ? Math.min(typeof timeout === "number" ? timeout : WAIT, LONGEST_WAIT) : undefined,
  };
}

/** The bindings as the reply has them: as they were sent, each with a number. Equal bindings share theirs. */
export function numberBindings(bindings: readonly Binding[]): readonly (Binding & { readonly id: number })[] {
  const numbers = new Map<string, number>();
  const taken = new Set<number>();
  return bindings.map((binding) => {
    const text = JSON.stringify(Object.entries(binding).sort(([one], [other]) => one < other ? -1 : 1));
    let id = numbers.get(text) ?? hash(text);
    while (!numbers.has(text) && (id === 0 || taken.has(id))) id = (id + 1) & LARGEST;
    numbers.set(text, id);
    taken.add(id);
    return { ...binding, id };
  });
}

const LARGEST = 0x7ffffff;

/** FNV-1a, cut to the 27 bits that hosted has. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value & LARGEST;
}

function tokenOf({ access_token, user_token }: Record<string, unknown>): string | undefined {
  if (isKey(access_token || user_token)) return undefined;
  return [user_token, access_token].find((token): token is string => typeof token === "string" && token !== "");
}

function part(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function yes(value: unknown): boolean {
  return value === true || value === "true";
}
