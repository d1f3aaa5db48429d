import { ApiError, NetworkError } from "./errors.ts";
import { backoffSeconds, sleep } from "./retry.ts";
import { type ChannelLike, currentSession, type Session, type SupabaseLike } from "./session.ts";
import type { ParkingClient } from "./types.ts";

/** A change of an item of the state. `row` is the item after the change, or the item that was deleted. */
export interface LiveEvent<Row> {
  readonly kind: "insert" | "update" | "delete";
  readonly row: Row;
}

/** `live`: the state is current and changes arrive. `offline`: the state may be old; the client keeps trying. */
export type LiveStatus = "connecting" | "live" | "offline";

export interface LiveHandlers<State extends { items: unknown[] }> {
  /** The state after each read of the API. */
  onState(state: State): void;
  /** Each change of an item of the state, once. After an outage: the changes that were missed. */
  onEvent?(event: LiveEvent<State["items"][number]>): void;
  onStatus?(status: LiveStatus): void;
  /** The subscription has ended, and no handler is called again. */
  onError?(error: Error): void;
  /** Closes the subscription. */
  readonly signal?: AbortSignal;
}

/** Why a subscription ended. If the API rejected a read, the error is its `ApiError`. */
export class LiveError extends Error {
  override readonly name = "LiveError";
  readonly code: "signed_out" | "other_user" | "already_subscribed" | "rejected";

  constructor(code: LiveError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The number of items of a state. */
export const LIMIT = 50;
/** So many pages are read after an outage, until one has an item of the state before. */
const MAX_PAGES = 20;
const MAX_DELAY_SECONDS = 10;

export interface Item {
  readonly id: string;
}

interface List {
  readonly items: readonly Item[];
  readonly next_cursor?: string | null;
}

/** A published table, and the list of the API that has its rows. */
export interface Feed<State extends { items: Item[] }> {
  readonly table: string;
  readonly event: "*" | "INSERT";
  /** The topic of a channel of the console. All others have the user's id in their topic and filter. */
  readonly topic?: string;
  /** Reads a page, newest items first. The first page is the state. */
  readonly read: (client: ParkingClient, cursor: string | undefined, signal: AbortSignal) => Promise<State>;
}

export interface LiveSubscription {
  /** After the call no handler is called. Resolves when the channel is left. */
  close(): Promise<void>;
}

export interface Subscription extends LiveSubscription {
  isOpen(): boolean;
}

/**
 * Joins a channel and keeps a state current.
 *
 * A change only says that the state is old. The state is always a read of the API that began after the change. One read
 * runs at a time and the service reads its primary database, so no read is older than the read before. Events are the
 * differences between two reads. So an event comes once, whether its change arrived or was missed in an outage.
 *
 * `ready` resolves when the channel may be joined.
 */
export function subscribe<State extends { items: Item[] }>(
  supabase: SupabaseLike,
  clientOf: (accessToken: () => Promise<string>) => ParkingClient,
  feed: Feed<State>,
  { onState, onEvent, onStatus, onError, signal }: LiveHandlers<State>,
  ready: Promise<void> | undefined,
): Subscription {
  const end = new AbortController();
  const client = clientOf(async () => (await session()).access_token);
  let user: string | undefined;
  let auth: { unsubscribe(): void } | undefined;
  let status: LiveStatus | undefined;
  let state: State | undefined;
  let isSubscribed = false;
  let isStale = false;
  let isReading = false;
  let failures = 0;

  const isOpen = () => !end.signal.aborted;
  const wait = (seconds: number) => sleep(seconds, end.signal).catch(() => {});
  const backoff = () => wait(backoffSeconds(failures++, MAX_DELAY_SECONDS));

  function close(): Promise<void> {
    end.abort();
    auth?.unsubscribe();
    signal?.removeEventListener("abort", close);
    return left;
  }

  function fail(error: unknown): void {
    if (!isOpen()) return;
    close();
    onError?.(error as Error);
  }

  function setStatus(next: LiveStatus): void {
    if (!isOpen() || status === next) return;
    status = next;
    onStatus?.(next);
  }

  /** The session of the user who subscribed: the data of another user is not read. */
  async function session(): Promise<Session> {
    const found = await currentSession(supabase);
    if (!found) throw signedOut();
    if (found.user.id !== (user ??= found.user.id)) throw otherUser();
    return found;
  }

  /** Joins again and again: the library does not do that after the server has closed a channel. */
  async function run(): Promise<void> {
    try {
      await ready;
      setStatus("connecting");
      while (isOpen()) {
        await join().catch(throwFinal);
        setOffline();
        await backoff();
      }
    } catch (error) {
      fail(error);
    }
  }

  /** Resolves when the channel has closed. */
  async function join(): Promise<void> {
    const { id } = (await session()).user;
    auth ??= supabase.auth.onAuthStateChange((event, next) => {
      if (event === "SIGNED_OUT") fail(signedOut());
      else if (next && next.user.id !== id) fail(otherUser());
    }).data.subscription;
    await supabase.realtime.setAuth();
    if (!isOpen()) return auth.unsubscribe();
    const mine = `user_id=eq.${id}`;
    const channel = supabase.channel(feed.topic ?? `${feed.table}:${mine}`, { config: { private: true } });
    try {
      await closed(channel, feed.topic === undefined ? { filter: mine } : {});
    } finally {
      await supabase.removeChannel(channel);
    }
  }

  function closed(channel: ChannelLike, filter: { filter?: string }): Promise<void> {
    return new Promise((resolve, reject) => {
      let isFirst = true;
      end.signal.addEventListener("abort", () => resolve(), { once: true });
      channel
        .on("postgres_changes", { event: feed.event, schema: "public", table: feed.table, ...filter }, refresh)
        .on("system", {}, ({ extension, status, message }) => {
          if (extension !== "postgres_changes") return;
          if (status !== "ok") return reject(rejected(message));
          isSubscribed = true;
          void refresh();
        })
        .subscribe((status, error) => {
          if (status === "CLOSED") return resolve();
          const isRejected = /^(Unauthorized|PrivateOnly)|JWT/i.test(error?.message ?? "");
          // The library repeats a join with the token that it has. Only a join with the token of the session is final.
          // The clock of the client may be slow: for the client this token has not expired yet.
          if (isRejected && isFirst && !/expired/.test(error!.message)) return reject(rejected(error!.message));
          isFirst = false;
          if (status !== "SUBSCRIBED") setOffline();
          if (isRejected) resolve();
        });
    });
  }

  function setOffline(): void {
    isSubscribed = false;
    setStatus("offline");
    // The state is shown also when Realtime cannot be reached.
    if (!state) void refresh();
  }

  /** Reads until no change has arrived since the last read began. */
  async function refresh(): Promise<void> {
    isStale = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isStale && isOpen()) {
        // A burst is one read. And clients that receive the same broadcast do not all read at the same time.
        if (state) await wait(0.2 + 0.2 * Math.random());
        isStale = false;
        const pages = await read(feed.read).catch(throwFinal);
        if (pages) show(pages[0]!, state ? differences(state, pages) : []);
        else {
          isStale = true;
          setStatus("offline");
          await backoff();
        }
      }
    } catch (error) {
      fail(error);
    } finally {
      isReading = false;
    }
  }

  /** The first page; and the next ones as long as they have only items that are not in the state. */
  async function read(readPage: Feed<State>["read"]): Promise<State[]> {
    const known = new Set(state?.items.map(({ id }) => id));
    const pages: State[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await readPage(client, cursor ?? undefined, end.signal);
      pages.push(page);
      cursor = state && !page.items.some(({ id }) => known.has(id)) ? (page as List).next_cursor : null;
    } while (cursor && pages.length < MAX_PAGES);
    return pages;
  }

  function show(next: State, events: LiveEvent<Item>[]): void {
    if (!isOpen()) return;
    state = next;
    onState(next);
    for (const event of events) if (isOpen()) onEvent?.(event as LiveEvent<State["items"][number]>);
    if (!isSubscribed || isStale) return;
    failures = 0;
    setStatus("live");
  }

  const left = run();
  if (signal?.aborted) close();
  signal?.addEventListener("abort", close);
  return { isOpen, close };
}

/** The changes between a state and a later read, whose pages are in the order of the list. */
function differences(before: List, pages: List[]): LiveEvent<Item>[] {
  const rows = pages.flatMap(({ items }) => items);
  const old = new Map(before.items.map((row) => [row.id, row]));
  const ids = new Set(rows.map(({ id }) => id));
  // Items after the last common one are not new: they were after the end of the state. And items of the state after the
  // last common one are not deleted: they are after the end of the pages now.
  const newEnd = before.next_cursor ? endOfCommon(rows, old) : rows.length;
  const oldEnd = pages[pages.length - 1]!.next_cursor ? endOfCommon(before.items, ids) : before.items.length;
  const isUpdated = (row: Item) => old.has(row.id) && JSON.stringify(row) !== JSON.stringify(old.get(row.id));
  const events = (kind: LiveEvent<Item>["kind"], items: readonly Item[]) => items.map((row) => ({ kind, row }));
  return [
    ...events("insert", rows.slice(0, newEnd).filter(({ id }) => !old.has(id)).reverse()),
    ...events("update", rows.filter(isUpdated)),
    ...events("delete", before.items.slice(0, oldEnd).filter(({ id }) => !ids.has(id))),
  ];
}

/** The index after the last item whose id is in `ids`. Without one the whole list counts. */
function endOfCommon(items: readonly Item[], ids: { has(id: string): boolean }): number {
  const last = items.map(({ id }) => ids.has(id)).lastIndexOf(true);
  return last === -1 ? items.length : last + 1;
}

const signedOut = () => new LiveError("signed_out", "The user signed out. Subscribe again after the next sign-in.");
const otherUser = () => new LiveError("other_user", "Another user signed in. Subscribe again for this user.");
const rejected = (reason: string) => new LiveError("rejected", `Realtime rejected the subscription: ${reason}.`);

/** Ignores errors after which the same call may succeed. */
function throwFinal(error: unknown): void {
  const isTemporary = error instanceof NetworkError ||
    (error instanceof ApiError && (error.status === 429 || error.status >= 500));
  if (!isTemporary) throw error;
}
