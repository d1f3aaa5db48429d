/**
 * Pictures without metadata: what a picture needs to be shown, and nothing else.
 *
 * Each format is rebuilt from the parts on a list: coded pixels, tables, color profile, animation. Everything else is
 * dropped, known or not: EXIF with its position, XMP, IPTC, comments, thumbnails, and bytes after the end. A part that
 * `picture/` does not know cannot leak. Of EXIF one number is kept, the orientation. The pixels are kept as they are.
 *
 * The files are a client's, so the work on one is bounded: by its bytes, by `MAX_PARTS` before each part, and by the
 * bytes of pixels that are unpacked (PNG). `MAX_PIXELS` bounds what it asks of those who show it.
 */
import type { ImageType } from "./image_type.ts";
import { rebuildHeic } from "./picture/heic.ts";
import { rebuildJpeg } from "./picture/jpeg.ts";
import { type Bytes, MAX_PARTS, MAX_PIXELS, type Problem, Refused } from "./picture/parts.ts";
import { rebuildPng } from "./picture/png.ts";
import { rebuildWebp } from "./picture/webp.ts";

const REBUILD: Record<ImageType, (bytes: Bytes) => Bytes | Promise<Bytes>> = {
  "image/jpeg": rebuildJpeg,
  "image/png": rebuildPng,
  "image/webp": rebuildWebp,
  "image/heic": rebuildHeic,
};

/** The picture without metadata, never longer than before; or why it is no picture of this type that the service takes. */
export async function withoutMetadata(bytes: Bytes, type: ImageType): Promise<Bytes | Problem> {
  try {
    return await REBUILD[type](bytes);
  } catch (error) {
    if (error instanceof Refused) return error.problem;
    throw error;
  }
}

/** Sentences about a file of this type, each before "Upload …". */
export const PROBLEMS: Record<Problem, (type: ImageType) => string> = {
  malformed: (type) => `The uploaded file is not a complete picture of the type ${type}.`,
  too_many_parts: () => `The uploaded file has more than ${MAX_PARTS.toLocaleString("en")} parts.`,
  too_many_pixels: () => `The uploaded picture has more than ${MAX_PIXELS / 1e6} megapixels.`,
};
