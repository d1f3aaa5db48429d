/** Accounts in the format of responses. */
import { fileUrl, type StoredFile } from "./storage/assets.ts";
import type { Links } from "./http/links.ts";
import { Streamed } from "./http/route.ts";
import type { ObjectStorage } from "./storage/object_storage.ts";
import type { StoredMe } from "./schema/me.ts";

/** Dependencies for the URLs of files. */
export interface UrlContext {
  readonly links: Links;
  readonly storage: ObjectStorage;
}

/** Replaces the avatar's file by its URL. */
export async function withAvatarUrl<T extends { readonly avatar: StoredFile | null }>(
  reader: UrlContext,
  { avatar, ...rest }: T,
): Promise<Omit<T, "avatar"> & { avatar_url: string | null }> {
  return { ...rest, avatar_url: avatar === null ? null : await fileUrl(reader, avatar) };
}

export async function toAccountResponse(reader: UrlContext, { app_user, ...account }: StoredMe) {
  return { ...account, app_user: app_user === null ? null : await withAvatarUrl(reader, app_user) };
}

/** A page of an app user's data from the database. A table that does not fit continues on the next page. */
export interface StoredData {
  readonly account: StoredMe;
  readonly data: readonly { readonly table: string; readonly rows: readonly Record<string, unknown>[] }[];
  readonly next_cursor: string | null;
}

/** Streams all data about an app user. Only one page at a time is in memory. */
export function userData(reader: UrlContext, read: (cursor: string | null) => Promise<StoredData>): Streamed {
  async function* pages() {
    let cursor: string | null = null;
    do {
      const page = await read(cursor);
      const head = cursor === null
        ? { exported_at: new Date().toISOString(), account: await toAccountResponse(reader, page.account) }
        : undefined;
      yield { head, data: page.data };
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  async function* text() {
    let open: string | undefined;
    for await (const { head, data } of pages()) {
      if (head) yield `${JSON.stringify(head).slice(0, -1)},"data":{`;
      for (const { table, rows } of data) {
        let separator = ",";
        if (table !== open) {
          yield `${open === undefined ? "" : "],"}${JSON.stringify(table)}:[`;
          [open, separator] = [table, ""];
        }
        // A table that is split has rows on both pages, and possibly none on its last page.
        for (const row of rows) {
          yield separator + JSON.stringify(row);
          separator = ",";
        }
      }
    }
    yield "]}}";
  }

  async function* values() {
    for await (const { head, data } of pages()) {
      if (head) yield head;
      for (const { table, rows } of data) for (const row of rows) yield { table, row };
    }
  }

  return new Streamed(text, values);
}
