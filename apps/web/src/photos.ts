/// <reference lib="dom" />
/** Photos that a form sends: smaller, and drawn again, so that the place where they were taken is not in them. */
import { NetworkError, type UploadOptions } from "parking-lot-client";
import { client } from "./service.ts";
import { pageTexts } from "./texts/pages.ts";
import { SentenceError } from "./sentence_error.ts";

/** What a browser may be able to read, for `accept`. */
export const PHOTO_TYPES = "image/jpeg,image/png,image/webp,image/heic,image/heif";

/** The longer side of a photo that is sent, in pixels. */
const LONGEST = 2048;
const QUALITY = 0.85;

const text = pageTexts(({ ui }) => ui.photos);

/** The photo as a JPEG that has its picture and nothing else: no position, no time, no name of a device. */
export async function redrawn(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file).catch(() => {
    throw new SentenceError(text.value.unreadable);
  });
  const scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext("2d")!;
  // A JPEG has no transparency.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  if (blob === null) throw new SentenceError(text.value.unreadable);
  return blob;
}

/** Uploads photos one after another, in their order, and returns their asset ids. They do not wait for a connection. */
export async function uploadPhotos(
  photos: readonly Blob[],
  about: Pick<UploadOptions, "category" | "is_public">,
  onProgress: (share: number) => void = () => {},
): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, photo] of photos.entries()) {
    const options = {
      file_name: `photo-${index + 1}.jpg`,
      ...about,
      onProgress: (sent: number, total: number) => onProgress((index + sent / total) / photos.length),
    };
    ids.push(
      await client.upload(photo, options).catch((error: unknown) => {
        throw error instanceof NetworkError ? new SentenceError(text.value.needConnection) : error;
      }),
    );
  }
  return ids;
}
