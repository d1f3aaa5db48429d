/** The image type of a file, detected from its first bytes. */

export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/heic"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The names by which clients declare a type. Phones and Windows send the second of two. */
export const IMAGE_TYPE_NAMES = [...IMAGE_TYPES, "image/jpg", "image/heif"] as const;

/** The type that a name in any case stands for; any other text is returned as it is. */
export function imageTypeNamed(name: string): string {
  return name.toLowerCase().replace(/^image\/jpg$/, "image/jpeg").replace(/^image\/heif$/, "image/heic");
}

/** Number of bytes that are needed. */
export const SIGNATURE_BYTES = 32;

/** Brands of ISO base media files with HEVC images, and the two generic image brands. */
const HEIC_BRANDS = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"];

export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (text(0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (text(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  if (text(4, 8) === "ftyp" && HEIC_BRANDS.includes(text(8, 12))) return "image/heic";
  return null;
}
