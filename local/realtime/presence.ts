// Who is in a topic: what each member tracked, by key. A key may have several members (one person's two devices), each
// with an entry of its own.

export type Meta = Record<string, unknown> & { readonly phx_ref: string };
type Entries = Record<string, { metas: Meta[] }>;

export interface Diff {
  readonly joins: Entries;
  readonly leaves: Entries;
}

interface Tracked {
  readonly key: string;
  readonly meta: Meta;
}

let made = 0;

/** `Member` is whatever tracks: a channel. */
export class Presence<Member> {
  readonly #tracked = new Map<Member, Tracked>();

  /** What a member that asks gets: everybody. */
  state(): Entries {
    const state = entries();
    for (const { key, meta } of this.#tracked.values()) (state[key] ??= { metas: [] }).metas.push(meta);
    return state;
  }

  /** Sets what a member says of itself; undefined when it says nothing new. */
  track(member: Member, key: string, payload: Record<string, unknown>): Diff | undefined {
    const before = this.#tracked.get(member);
    const phx_ref = `F${(made++).toString(36)}`;
    if (before !== undefined) {
      const { phx_ref: phx_ref_prev, phx_ref_prev: _, ...said } = before.meta;
      if (JSON.stringify(said) === JSON.stringify(payload)) return undefined;
      const meta = { ...payload, phx_ref_prev, phx_ref };
      this.#tracked.set(member, { key, meta });
      return { joins: one(key, meta), leaves: one(key, before.meta) };
    }
    const meta = { ...payload, phx_ref };
    this.#tracked.set(member, { key, meta });
    return { joins: one(key, meta), leaves: entries() };
  }

  /** Takes a member off; undefined when it was not on. */
  untrack(member: Member): Diff | undefined {
    const before = this.#tracked.get(member);
    if (before === undefined) return undefined;
    this.#tracked.delete(member);
    return { joins: entries(), leaves: one(before.key, before.meta) };
  }
}

/** Clients choose the keys, so they are kept apart from what objects have by nature. */
function entries(): Entries {
  return Object.create(null);
}

function one(key: string, meta: Meta): Entries {
  const found = entries();
  found[key] = { metas: [meta] };
  return found;
}
