/** The order of a list that is changed by hand, and the tags of a lot while they are edited. */

/** An entry at another place. */
export const moved = <Entry>(entries: readonly Entry[], from: number, to: number): Entry[] =>
  entries.toSpliced(from, 1).toSpliced(to, 0, entries[from]!);

/** True: the lot has it; false: it has not; null: uncertain. A tag that is absent says nothing. */
export type TagStates = ReadonlyMap<string, boolean | null>;

interface Tag {
  readonly tag_id: string;
  readonly state: boolean | null;
}

export const statesOf = (tags: readonly Tag[]): TagStates => new Map(tags.map(({ tag_id, state }) => [tag_id, state]));

/** The newest tags with those that were changed here; undefined takes a tag out. */
export function tagsWith(newest: readonly Tag[], changes: ReadonlyMap<string, boolean | null | undefined>): Tag[] {
  const states = new Map<string, boolean | null | undefined>([...statesOf(newest), ...changes]);
  return [...states].flatMap(([tag_id, state]) => state === undefined ? [] : [{ tag_id, state }]);
}
