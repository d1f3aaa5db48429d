// Which bindings a change may be for, found without looking at all of them: most ask for one value of one column.
import { type AdmittedFilter, judgeOf, requiredTexts, type Verdict } from "./conditions.ts";
import type { Relation, RowChange } from "./wal.ts";
import type { Subscriber } from "./subscriber.ts";

/** A filter that Postgres is asked about. */
export interface Comparison {
  readonly column: string;
  readonly type: number;
  readonly operator: string;
  readonly value: string;
  readonly negated: boolean;
}

/** One binding of a subscriber, as it applies to one table. */
export class Route {
  readonly comparisons: readonly Comparison[];
  /** A column and the texts of which it must have one, if a filter is so simple. */
  readonly required: { column: string; texts: readonly string[] } | undefined;
  readonly #judges: readonly { column: string; judge: (text: string | null) => Verdict }[];

  constructor(
    readonly subscriber: Subscriber,
    readonly bindingIndex: number,
    readonly table: number,
    readonly event: string,
    readonly select: readonly string[] | undefined,
    filters: readonly AdmittedFilter[],
  ) {
    const judged = filters.map((filter) => ({ ...filter, judge: judgeOf(filter), texts: requiredTexts(filter) }));
    this.comparisons = judged.filter(({ judge }) => judge === undefined);
    this.#judges = judged.flatMap(({ column, judge }) => judge === undefined ? [] : [{ column, judge }]);
    const simple = judged.find(({ texts }) => texts !== undefined);
    this.required = simple && { column: simple.column, texts: simple.texts! };
  }

  hears(type: string): boolean {
    return this.event === "*" || this.event === type;
  }

  /** Whether the filters that are judged here pass. A column that the log does not tell passes none. */
  admits(change: RowChange): boolean {
    return this.#judges.every(({ column, judge }) => {
      const text = filtered(change, column);
      return text !== undefined && judge(text) === true;
    });
  }
}

/** What filters see of a column: the new row, or what is left of a deleted one. */
export function filtered(change: RowChange, column: string): string | null | undefined {
  const index = indexOf(change.relation, column);
  return index === undefined ? undefined : (change.row ?? change.old)?.[index];
}

const indexes = new WeakMap<Relation, Map<string, number>>();

export function indexOf(relation: Relation, column: string): number | undefined {
  let known = indexes.get(relation);
  if (known === undefined) {
    known = new Map(relation.columns.map(({ name }, index) => [name, index]));
    indexes.set(relation, known);
  }
  return known.get(column);
}

interface TableRoutes {
  readonly all: Set<Route>;
  /** Column, text, routes. */
  readonly keyed: Map<string, Map<string, Set<Route>>>;
  readonly others: Set<Route>;
}

export class Routes {
  readonly #tables = new Map<number, TableRoutes>();

  has(table: number): boolean {
    return this.#tables.has(table);
  }

  of(table: number): Iterable<Route> {
    return this.#tables.get(table)?.all ?? [];
  }

  /** Those who were there before the change, and whose filters may pass. */
  candidates(change: RowChange): Set<Route> {
    const found = new Set<Route>();
    const routes = this.#tables.get(change.relation.table);
    if (routes === undefined) return found;
    const consider = (route: Route) => {
      const isOlder = route.subscriber.snapshot.sees(change.transaction.xid);
      if (!isOlder && route.hears(change.type) && route.admits(change)) found.add(route);
    };
    routes.others.forEach(consider);
    for (const [column, byText] of routes.keyed) {
      const text = filtered(change, column);
      if (typeof text === "string") byText.get(text)?.forEach(consider);
    }
    return found;
  }

  add(route: Route): void {
    const routes = getOrMake(
      this.#tables,
      route.table,
      () => ({ all: new Set(), keyed: new Map(), others: new Set() }),
    );
    routes.all.add(route);
    if (route.required === undefined) return void routes.others.add(route);
    const byText = getOrMake(routes.keyed, route.required.column, () => new Map<string, Set<Route>>());
    for (const text of route.required.texts) getOrMake(byText, text, () => new Set<Route>()).add(route);
  }

  remove(route: Route): void {
    const routes = this.#tables.get(route.table);
    if (routes === undefined) return;
    routes.all.delete(route);
    routes.others.delete(route);
    const byText = route.required && routes.keyed.get(route.required.column);
    for (const text of route.required?.texts ?? []) {
      const same = byText?.get(text);
      same?.delete(route);
      if (same?.size === 0) byText!.delete(text);
    }
    if (byText?.size === 0) routes.keyed.delete(route.required!.column);
    if (routes.all.size === 0) this.#tables.delete(route.table);
  }
}

export function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}
