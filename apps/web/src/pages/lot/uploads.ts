/** Photos that a form sends. */
import type { UploadOptions } from "parking-lot-client";
import { client } from "../../service.ts";

/** What the service takes, for `accept`. */
export const PHOTO_TYPES = "image/jpeg,image/png,image/webp,image/heic";

/** The files of a field; a field without a file has one that is empty. */
export function filesOf(values: FormData, name: string): File[] {
  return values.getAll(name).filter((value): value is File => value instanceof File && value.size > 0);
}

/** Uploads files one after another, in their order, and returns their asset ids. */
export async function uploadAll(
  files: readonly File[],
  about: Pick<UploadOptions, "category" | "is_public">,
): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) ids.push(await client.upload(file, { file_name: file.name, ...about }));
  return ids;
}
