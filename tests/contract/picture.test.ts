// Pictures without metadata: what is dropped, what stays, and files that are no pictures.
import assert from "node:assert/strict";
import { imageTypeOf } from "../../supabase/functions/_shared/storage/image_type.ts";
import { withoutMetadata } from "../../supabase/functions/_shared/storage/picture.ts";
import { cameraPicture, contains, heicBox, IMAGE_TYPES, type ImageType, picture, pngChunk } from "../support/files.ts";
import { chance } from "../support/random.ts";
import { seed } from "../support/sizes.ts";

const HTML = "<html><script>alert(1)</script></html>";
const latin1 = (text: string) => new Uint8Array([...text].map((letter) => letter.charCodeAt(0)));
const joined = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(parts.flatMap((part) => [...part]));
/** The picture that is stored. */
async function cleaned(file: Uint8Array<ArrayBuffer>, type: ImageType): Promise<Uint8Array<ArrayBuffer>> {
  const picture = await withoutMetadata(file, type);
  return typeof picture === "string" ? assert.fail(`the ${type} was refused: ${picture}`) : picture;
}
/** The position of the camera's pictures: the seconds of latitude, 52.45, as EXIF has them in either byte order. */
const POSITIONS = ["\x00\x00\x14\x7d\x00\x00\x00\x64", "\x7d\x14\x00\x00\x64\x00\x00\x00"];
const hasMetadata = (file: Uint8Array) =>
  ["Secret", "GPS", "http://ns.adobe.com", "rdf:RDF", "8BIM", HTML.slice(0, 12)].filter((text) => contains(file, text));

for (const type of IMAGE_TYPES) {
  Deno.test(`picture: ${type} of a camera loses position, descriptions and appended bytes, and keeps its color profile`, async () => {
    const file = cameraPicture(type);
    assert.ok(contains(file, "SecretMaker") && contains(file, "SecretXmp"), "the case has metadata");
    const clean = await cleaned(joined(file, latin1(HTML)), type);
    assert.deepEqual(hasMetadata(clean), []);
    for (const position of POSITIONS) assert.ok(!contains(clean, position));
    assert.ok(clean.length <= file.length);
    assert.ok(contains(clean, type === "image/png" ? "iCCP" : "acsp"), "the color profile");
    assert.deepEqual(await cleaned(clean, type), clean, "a clean picture stays as it is");
  });

  Deno.test(`picture: ${type} without metadata stays as it is`, async () => {
    for (const size of [400, 1000, 70_000]) {
      const file = picture(type, size);
      assert.deepEqual(await cleaned(file, type), file);
    }
  });

  Deno.test(`picture: ${type} that is cut short, or of another type, is refused`, async () => {
    const file = cameraPicture(type);
    for (let size = 0; size < file.length; size += 1 + Math.floor(size / 100)) {
      // What is cut after the pixels may be metadata: then the picture is complete.
      const clean = await withoutMetadata(file.slice(0, size), type);
      if (typeof clean !== "string") assert.deepEqual(hasMetadata(clean), [], `cut at ${size}`);
      if (size < file.length / 8) assert.equal(clean, "malformed", `cut at ${size}`);
    }
    for (const other of IMAGE_TYPES) {
      if (other !== type) assert.equal(await withoutMetadata(file, other), "malformed", other);
    }
    assert.equal(await withoutMetadata(new Uint8Array(), type), "malformed");
    assert.equal(await withoutMetadata(joined(picture(type).subarray(0, 12), new Uint8Array(200)), type), "malformed");
  });
}

Deno.test("picture: the type of a file is that of its first bytes, and of the brands only those of HEIC have one", () => {
  for (const type of IMAGE_TYPES) assert.equal(imageTypeOf(picture(type)), type);
  const branded = (brand: string) => latin1(`\x00\x00\x00\x18ftyp${brand}`);
  for (const brand of ["heic", "heix", "hevc", "mif1", "msf1"]) assert.equal(imageTypeOf(branded(brand)), "image/heic");
  for (const brand of ["avif", "avis", "isom", "mp42", "qt  ", "M4V ", "HEIC", ""]) {
    assert.equal(imageTypeOf(branded(brand)), null, brand);
  }
  for (const start of ["GIF89a", "BM", "%PDF-1.7", "<svg", "RIFF\x00\x00\x00\x00WAVE", "\x89PNG\n"]) {
    assert.equal(imageTypeOf(latin1(start)), null, start);
  }
});

const PICTURE_SEED = seed("PICTURE_SEED", 20261128);

Deno.test(`picture: changed and random files are refused or lose every text that was added (PICTURE_SEED=${PICTURE_SEED})`, async () => {
  const { below, pick } = chance(PICTURE_SEED);
  let kept = 0;
  for (let n = 0; n < 4000; n++) {
    const type = pick(IMAGE_TYPES);
    const file = below(2) === 0 ? cameraPicture(type) : picture(type, 400 + 2 * below(200));
    for (let changes = below(6); changes > 0; changes--) file[below(file.length)] = below(256);
    const changed = pick([
      () => file,
      () => file.slice(0, below(file.length)),
      () => joined(file, latin1(HTML)),
      () => joined(file, file),
      () => file.map((byte, at) => at > 12 && below(40) === 0 ? below(256) : byte),
    ])();
    const clean = await withoutMetadata(changed, type);
    if (typeof clean === "string") continue;
    kept++;
    assert.ok(clean.length <= changed.length);
    assert.deepEqual(await withoutMetadata(clean.slice(), type), clean);
    assert.ok(!contains(clean, HTML), `appended text in ${type}`);
  }
  assert.ok(kept > 200, `${kept} files were accepted`);
});

Deno.test("picture: only the orientation of EXIF is kept, in JPEG, PNG and WebP", async () => {
  for (const type of ["image/jpeg", "image/png", "image/webp"] as const) {
    const clean = await cleaned(cameraPicture(type), type);
    assert.ok(contains(clean, "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"), type);
    const upright = cameraPicture(type);
    const orientations = ["\x01\x12\0\x03\0\0\0\x01\0\x06", "\x12\x01\x03\0\x01\0\0\0\x06\0"];
    const text = new TextDecoder("latin1").decode(upright);
    const [at, found] = orientations.map((entry) => [text.indexOf(entry), entry] as const).find(([at]) => at >= 0)!;
    upright[at + found.indexOf("\x06")] = 1;
    const without = await cleaned(upright, type);
    assert.ok(
      !contains(without, "MM\0*") && !contains(without, "II*\0"),
      `${type}: the usual orientation needs no EXIF`,
    );
  }
});

Deno.test("picture: thumbnails, comments and unknown parts are dropped wherever they are", async () => {
  const jpeg = picture("image/jpeg");
  const segment = (marker: number, text: string) =>
    joined(new Uint8Array([0xff, marker, 0, text.length + 2]), latin1(text));
  for (const marker of [0xe0, 0xe1, 0xe2, 0xe5, 0xed, 0xee, 0xef, 0xfe]) {
    const secret = joined(jpeg.subarray(0, 2), segment(marker, "Secret"), jpeg.subarray(2));
    assert.deepEqual(await cleaned(secret, "image/jpeg"), jpeg, marker.toString(16));
  }
  const jfif = joined(
    jpeg.subarray(0, 2),
    segment(0xe0, "JFIF\0\x01\x01\0\0\x48\0\x48\x01\x01Secret"),
    jpeg.subarray(2),
  );
  assert.deepEqual(
    await cleaned(jfif, "image/jpeg"),
    joined(jpeg.subarray(0, 2), segment(0xe0, "JFIF\0\x01\x01\0\0\x48\0\x48\0\0"), jpeg.subarray(2)),
  );

  const png = picture("image/png");
  const headerEnd = 8 + 25;
  for (const type of ["tEXt", "zTXt", "iTXt", "eXIf", "tIME", "sPLT", "prVt"]) {
    const secret = joined(png.subarray(0, headerEnd), pngChunk(type, "Secret"), png.subarray(headerEnd));
    assert.deepEqual(await cleaned(secret, "image/png"), png, type);
  }

  const heic = picture("image/heic");
  for (const box of [heicBox("free", "Secret"), heicBox("uuid", "Secret"), heicBox("moov", "Secret")]) {
    const clean = await cleaned(joined(heic, box), "image/heic");
    assert.deepEqual(clean, heic, "after the pixels");
  }
});

Deno.test("picture: a file of 10 MiB stays as it is, also when its pixels are nothing but escaped bytes", async () => {
  const size = 10 * 1024 * 1024;
  const cases: [ImageType, Uint8Array<ArrayBuffer>][] = IMAGE_TYPES.map((type) => [type, picture(type, size)]);
  const jpeg = picture("image/jpeg", size);
  jpeg.fill(0xff, 40, size - 2);
  for (let at = 41; at < size - 2; at += 2) jpeg[at] = 0;
  cases.push(["image/jpeg", jpeg]);
  for (const [type, file] of cases) assert.equal((await cleaned(file, type)).length, size, type);
});
