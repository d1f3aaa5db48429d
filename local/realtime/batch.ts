// A batch of changes, from the rows of the log to what each subscriber hears: who may see them is asked once for all.
import { not } from "./conditions.ts";
import type { Answer, Looker, Table, Work } from "./look.ts";
import { payloadOf, type Row, rowOf, unknownTexts } from "./payload.ts";
import { type Comparison, filtered, getOrMake, indexOf, type Route, type Routes } from "./routes.ts";
import type { Subscriber } from "./subscriber.ts";
import type { Change } from "./types.ts";
import type { RowChange } from "./wal.ts";

/** What one subscriber hears of one change. */
export interface Delivery {
  readonly subscriber: Subscriber;
  readonly bindings: number[];
  readonly change: Change;
}

export interface Outcome {
  readonly deliveries: readonly Delivery[];
  /** Those who cannot be told whether they may see a change. */
  readonly failed: ReadonlyMap<Subscriber, string>;
}

/** A table that changes between two looks is looked at again; not for ever. */
const MOST_LOOKS = 5;

export interface Item {
  readonly change: RowChange;
  readonly candidates: ReadonlySet<Route>;
}

export async function judgeBatch(
  items: readonly Item[],
  routes: Routes,
  looker: Looker,
  known: Map<number, Table>,
): Promise<Outcome> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const question = new Question(items, routes, known);
    const answer = await looker.look(question.work);
    const isAnswered = question.isAnswered(answer);
    for (const table of question.work.tables) {
      const found = answer.tables[table];
      if (found === undefined) known.delete(table);
      else known.set(table, found);
    }
    if (isAnswered) return new Dealer(question, answer, routes).deal(items);
  }
  throw new Error("A table changes faster than its changes can be looked at");
}

/** Where an answer stands: of which check, group and row; of which comparison and text; of which conversion and text. */
type Place = readonly number[];

class Question {
  readonly work: Work;
  readonly rows = new Map<RowChange, Row>();
  readonly #checks = new Map<string, { check: WorkCheck; index: number; groups: Map<string, GroupPlaces> }>();
  readonly #comparisons = new Map<string, { index: number; texts: Map<string | null, number> }>();
  readonly #conversions = new Map<number, { index: number; texts: Map<string, number> }>();

  constructor(items: readonly Item[], routes: Routes, readonly known: ReadonlyMap<number, Table>) {
    const tables = new Set<number>();
    const roles = new Set<string>();
    for (const { change, candidates } of items) {
      const { table } = change.relation;
      if (!tables.has(table)) {
        tables.add(table);
        for (const route of routes.of(table)) roles.add(route.subscriber.role);
      }
      for (const route of candidates) this.#ask(change, route);
      const found = known.get(table);
      if (found === undefined || candidates.size === 0) continue;
      const row = rowOf(change, found);
      this.rows.set(change, row);
      for (const [type, text] of unknownTexts(row)) this.#convert(type, text);
    }
    this.work = {
      xids: [...new Set(items.map(({ change }) => change.transaction.xid))],
      tables: [...tables],
      roles: [...roles],
      checks: [...this.#checks.values()].map(({ check, groups }) => ({
        ...check,
        groups: [...groups].map(([claims, { keys }]) => ({ claims, keys })),
      })),
      comparisons: [...this.#comparisons].map(([name, { texts }]) => ({
        ...JSON.parse(name),
        texts: [...texts.keys()],
      })),
      conversions: [...this.#conversions].map(([type, { texts }]) => ({ type, texts: [...texts.keys()] })),
    };
  }

  /** Whether every table is what it was taken for. */
  isAnswered({ tables }: Answer): boolean {
    return this.work.tables.every((table) => {
      const found = tables[table];
      return found === undefined || shapeOf(found) === shapeOf(this.known.get(table));
    });
  }

  place(change: RowChange, { subscriber: { role, claims } }: Route): Place | undefined {
    const check = this.#checks.get(`${change.relation.table} ${role}`);
    const group = check?.groups.get(claims);
    const row = group?.places.get(keyOf(change, check!.check.key)?.join("\0") ?? "");
    return row === undefined ? undefined : [check!.index, group!.index, row];
  }

  comparisonPlace(comparison: Comparison, text: string | null): Place {
    const { index, texts } = this.#comparisons.get(nameOf(comparison))!;
    return [index, texts.get(text)!];
  }

  conversionPlace(type: number, text: string): Place | undefined {
    const asked = this.#conversions.get(type);
    const position = asked?.texts.get(text);
    return position === undefined ? undefined : [asked!.index, position];
  }

  #ask(change: RowChange, route: Route): void {
    for (const comparison of route.comparisons) {
      const { texts } = getOrMake(this.#comparisons, nameOf(comparison), () => ({
        index: this.#comparisons.size,
        texts: new Map<string | null, number>(),
      }));
      const text = filtered(change, comparison.column);
      if (text !== undefined && !texts.has(text)) texts.set(text, texts.size);
    }
    const { table } = change.relation;
    const found = this.known.get(table);
    if (change.type === "DELETE" || !found?.secured || found.key.length === 0) return;
    const key = keyOf(change, found.key);
    if (key === undefined) return;
    const { role, claims } = route.subscriber;
    const { groups } = getOrMake(this.#checks, `${table} ${role}`, () => ({
      check: { table, role, key: found.key },
      index: this.#checks.size,
      groups: new Map<string, GroupPlaces>(),
    }));
    const group = getOrMake(groups, claims, () => ({
      index: groups.size,
      keys: found.key.map((): string[] => []),
      places: new Map<string, number>(),
    }));
    const name = key.join("\0");
    if (group.places.has(name)) return;
    group.places.set(name, group.places.size);
    key.forEach((text, column) => group.keys[column]!.push(text));
  }

  #convert(type: number, text: string): void {
    const { texts } = getOrMake(this.#conversions, type, () => ({ index: this.#conversions.size, texts: new Map() }));
    if (!texts.has(text)) texts.set(text, texts.size);
  }
}

/** What a question relies on. */
function shapeOf(table: Table | undefined): string | undefined {
  return table && JSON.stringify([table.secured, table.key, table.columns]);
}

interface WorkCheck {
  readonly table: number;
  readonly role: string;
  readonly key: readonly string[];
}

interface GroupPlaces {
  readonly index: number;
  readonly keys: string[][];
  readonly places: Map<string, number>;
}

function nameOf({ type, operator, value }: Comparison): string {
  return JSON.stringify({ type, operator, value });
}

/** The texts of the row's key; undefined when the log does not tell them all. */
function keyOf({ relation, row }: RowChange, key: readonly string[]): string[] | undefined {
  const texts = key.map((column) => row?.[indexOf(relation, column) ?? -1]);
  return texts.every((text) => typeof text === "string") ? texts : undefined;
}

class Dealer {
  readonly #failed = new Map<Subscriber, string>();

  constructor(readonly question: Question, readonly answer: Answer, readonly routes: Routes) {}

  deal(items: readonly Item[]): Outcome {
    const deliveries = items.flatMap(({ change, candidates }) => [...this.#dealOne(change, candidates)]);
    return { deliveries, failed: this.#failed };
  }

  #dealOne(change: RowChange, candidates: ReadonlySet<Route>): Iterable<Delivery> {
    const { table } = change.relation;
    const found = this.answer.tables[table];
    const deliveries = new Map<Subscriber, Map<Change, Delivery>>();
    if (found === undefined) return [];
    const payloads = new Map<string, Change>();
    const deliver = ({ subscriber, bindingIndex }: Route, name: string, make: () => Change) => {
      const payload = getOrMake(payloads, name, make);
      const ofSubscriber = getOrMake(deliveries, subscriber, () => new Map<Change, Delivery>());
      getOrMake(ofSubscriber, payload, () => ({ subscriber, bindings: [], change: payload })).bindings.push(
        bindingIndex,
      );
    };

    const refusals = new Map<string, string | undefined>();
    const refusalFor = (role: string) => getOrMake(refusals, role, () => refusalOf(change, found, role));
    const row = this.question.rows.get(change);
    for (const route of candidates) {
      const { role } = route.subscriber;
      if (row === undefined || refusalFor(role) !== undefined || !this.#passes(change, found, route)) continue;
      const name = JSON.stringify([role, route.select]);
      deliver(route, name, () =>
        payloadOf(row, found, role, route.select, (type, text) => {
          const [index, position] = this.question.conversionPlace(type, text) ?? [];
          return index === undefined ? undefined : this.answer.converted[index]?.[position!];
        }));
    }
    if (change.type !== "DELETE") this.#refuse(change, found, refusalFor, deliver);
    return [...deliveries.values()].flatMap((ofSubscriber) => [...ofSubscriber.values()]);
  }

  /** Tells everybody whose role may not see the table's rows at all. */
  #refuse(
    change: RowChange,
    { schema, table }: Table,
    refusalFor: (role: string) => string | undefined,
    deliver: (route: Route, name: string, make: () => Change) => void,
  ): void {
    const told = {
      schema,
      table,
      type: change.type,
      commit_timestamp: null,
      columns: [],
      record: {},
      // Old clients (supabase-js 2.39) fail on an UPDATE without it.
      ...(change.type === "UPDATE" ? { old_record: {} } : {}),
    };
    for (const route of this.routes.of(change.relation.table)) {
      const { role } = route.subscriber;
      // Whoever came while Postgres was asked came after the change.
      if (!this.question.work.roles.includes(role)) continue;
      const refusal = refusalFor(role);
      if (refusal === undefined) continue;
      if (!route.hears(change.type) || route.subscriber.snapshot.sees(change.transaction.xid)) continue;
      deliver(route, refusal, () => ({ ...told, errors: [refusal] }));
    }
  }

  #passes(change: RowChange, { secured }: Table, route: Route): boolean {
    const { passed, seen } = this.answer;
    for (const comparison of route.comparisons) {
      const text = filtered(change, comparison.column);
      if (text === undefined) return false;
      const [index, position] = this.question.comparisonPlace(comparison, text) as [number, number];
      const verdicts = passed[index];
      if (verdicts === undefined) return this.#fail(route, "A filter failed");
      const verdict = verdicts[position]!;
      if ((comparison.negated ? not(verdict) : verdict) !== true) return false;
    }
    if (change.type === "DELETE" || !secured) return true;
    const [check, group, row] = this.question.place(change, route) ?? [];
    if (check === undefined) return false;
    const groups = seen[check];
    if (!groups) return false;
    const rows = groups[group!];
    return rows === undefined || rows === null ? this.#fail(route, "A policy failed") : rows[row!] === true;
  }

  #fail({ subscriber }: Route, reason: string): false {
    this.#failed.set(subscriber, reason);
    return false;
  }
}

function refusalOf({ type }: RowChange, { key, readable }: Table, role: string): string | undefined {
  if (type === "DELETE") return undefined;
  if (key.length === 0) return "Error 400: Bad Request, no primary key";
  return key.every((column) => readable[role]?.includes(column)) ? undefined : "Error 401: Unauthorized";
}
