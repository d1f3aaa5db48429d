// Files to upload: the first bytes of each type, which identify it.

export type ImageType = "image/jpeg" | "image/png" | "image/webp" | "image/heic";

const BEGINNINGS: Record<ImageType, string> = {
  "image/jpeg": "\xff\xd8\xff\xe0\0\x10JFIF\0",
  "image/png": "\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
  "image/webp": "RIFF\x2a\0\0\0WEBPVP8 ",
  "image/heic": "\0\0\0\x18ftypheic\0\0\0\0mif1heic",
};

export const IMAGE_TYPES = Object.keys(BEGINNINGS) as ImageType[];

/** A file that begins as its type does, of so many bytes, filled with noise. */
export function picture(type: ImageType, size = 200): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let from = 0; from < size; from += 65_536) crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  bytes.set([...BEGINNINGS[type]].map((letter) => letter.charCodeAt(0)));
  return bytes;
}

/** Sends bytes to an upload's address as a client does. */
export async function put(url: string, body: Uint8Array<ArrayBuffer>, type: string): Promise<number> {
  const answer = await fetch(url, { method: "PUT", body, headers: { "content-type": type } });
  await answer.body?.cancel();
  return answer.status;
}
