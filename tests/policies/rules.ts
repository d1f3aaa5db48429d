// How a domain declares access to its tables. What is not declared here is rejected for every client, and the
// tests check both against the database.
import type { TransactionSql } from "postgres";
import type { Actor, People } from "./people.ts";

export type Client = "anon" | "authenticated";

/** The rows of the fixture that an actor can access, by their names here; or that the statement itself is rejected. */
export type Reach = readonly string[] | "rejected";

export interface TableRules {
  readonly table: string;
  /** The columns that each client role may read and write; no other grant may exist. */
  readonly grants: {
    readonly select?: Partial<Record<Client, Columns>>;
    readonly update?: Partial<Record<Client, Columns>>;
    readonly insert?: Partial<Record<Client, Columns>>;
    readonly delete?: readonly Client[];
  };
  /** An SQL expression that identifies the fixture's rows, as text. */
  readonly key: string;
  /** The fixture's rows: what this file calls them, and their key. */
  rows(people: People): Record<string, string>;
  readonly reads: Record<Actor, Reach>;
  /** Who can change which rows, for each column that is granted. */
  readonly updates?: Record<string, Record<Actor, Reach>>;
  /** What is written to a column that is granted, as SQL; the column's own value when it is not here. */
  readonly writes?: Record<string, string>;
  /** Rows that some may insert, by name; all others are rejected. */
  readonly inserts?: Record<string, Insert>;
  /** Who can delete which rows, where a client may. */
  readonly deletes?: Record<Actor, Reach>;
}

export interface Insert {
  row(people: People): Record<string, string | number>;
  readonly by: readonly Actor[];
}

export interface Domain {
  /** Inserts the fixture as service_role, which shows that the service can write every table. */
  seed(sql: TransactionSql, people: People): Promise<void>;
  readonly tables: readonly TableRules[];
}

/** Columns by name, or all of the table but these: a new column then needs a decision, here or in the migration. */
export type Columns = readonly string[] | { readonly allBut: readonly string[] };

export function allBut(...columns: string[]): Columns {
  return { allBut: columns };
}

export function toEveryone<Value>(value: Value): Record<Client, Value> {
  return { anon: value, authenticated: value };
}

export function byEveryone(reach: Reach): Record<Actor, Reach> {
  return { anonymous: reach, owner: reach, stranger: reach, suspended: reach, administrator: reach };
}

/** The part of the accessible rows that the actor may write: a suspended user writes nothing. */
export function whileActive(reach: Record<Actor, Reach>): Record<Actor, Reach> {
  return { ...reach, suspended: [] };
}

/** Inserts rows that begin in a state in which the service may not begin them. */
export async function asOwner(sql: TransactionSql, run: () => Promise<unknown>): Promise<void> {
  await sql`reset role`;
  await run();
  await sql`set local role service_role`;
}

/** Authenticated users can access their own rows: these. Anonymous users are rejected. */
export function bySignedIn(reach: Record<Exclude<Actor, "anonymous">, Reach>): Record<Actor, Reach> {
  return { anonymous: "rejected", ...reach };
}
