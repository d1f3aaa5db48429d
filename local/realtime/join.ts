// What a client requests when it joins a topic. A setting that cannot be read counts as absent, as hosted.
import { isObject } from "./serializer.ts";
import { isApiKey } from "./tokens.ts";
import type { Binding } from "./types.ts";

export interface JoinRequest {
  /** The channel's own token, if it sends one. */
  readonly token: string | undefined;
  readonly isPrivate: boolean;
  readonly bindings: readonly Binding[];
  /** A feature of the hosted service that the request needs and this server does not have. */
  readonly unsupported: string | undefined;
}

export function readJoin(payload: unknown): JoinRequest {
  const request = objectOf(payload);
  const config = objectOf(request["config"]);
  const broadcast = objectOf(config["broadcast"]);
  const changes = config["postgres_changes"];
  const unsupported = {
    presence: isTrue(objectOf(config["presence"])["enabled"]),
    "replay of broadcasts": isObject(broadcast["replay"]),
    replication_ready: isTrue(broadcast["replication_ready"]),
    "postgres_changes_options.wait": isTrue(objectOf(config["postgres_changes_options"])["wait"]),
  };
  return {
    token: tokenOf(request),
    isPrivate: isTrue(config["private"]),
    bindings: Array.isArray(changes) ? changes.filter(isObject) : [],
    unsupported: Object.entries(unsupported).find(([, isRequested]) => isRequested)?.[0],
  };
}

/** The bindings for the reply: as they were sent, each with a number. Equal bindings share theirs. */
export function numberBindings(bindings: readonly Binding[]): readonly (Binding & { readonly id: number })[] {
  const numbers = new Map<string, number>();
  return bindings.map((binding) => {
    const text = JSON.stringify(Object.entries(binding).sort(([one], [other]) => one < other ? -1 : 1));
    const id = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, id);
    return { ...binding, id };
  });
}

function tokenOf({ access_token, user_token }: Record<string, unknown>): string | undefined {
  if (isApiKey(access_token || user_token)) return undefined;
  return [user_token, access_token].find((token): token is string => typeof token === "string" && token !== "");
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}
