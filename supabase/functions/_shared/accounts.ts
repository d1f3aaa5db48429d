/** Accounts as replies show them. */
import { addressOf, type StoredFile } from "./assets.ts";
import type { Links } from "./http/links.ts";
import type { ObjectStorage } from "./providers/object_storage.ts";
import type { StoredMe } from "./schema/me.ts";

/** What the addresses of files are made with. */
export interface Reader {
  readonly links: Links;
  readonly storage: ObjectStorage;
}

/** Something that has an avatar, with the address of the file in place of the file. */
export async function withAvatarUrl<T extends { readonly avatar: StoredFile | null }>(
  reader: Reader,
  { avatar, ...rest }: T,
): Promise<Omit<T, "avatar"> & { avatar_url: string | null }> {
  return { ...rest, avatar_url: avatar === null ? null : await addressOf(reader, avatar) };
}

export async function shownAccount(reader: Reader, { app_user, ...account }: StoredMe) {
  return { ...account, app_user: app_user === null ? null : await withAvatarUrl(reader, app_user) };
}

/** What the database gives as all that is held about an app user. */
export interface StoredData {
  readonly account: StoredMe;
  readonly data: Record<string, Record<string, unknown>[]>;
}

export async function shownData(reader: Reader, { account, data }: StoredData) {
  return { exported_at: new Date().toISOString(), account: await shownAccount(reader, account), data };
}
