// The DER reader: for any bytes it reads within their bounds or fails with DerError.
import assert from "node:assert/strict";
import {
  childrenOf,
  DerError,
  encode,
  encodeOid,
  integerOf,
  oidOf,
  readElement,
  Tag,
  timeOf,
} from "../../supabase/functions/_shared/providers/app_store/der.ts";
import { chance } from "../support/random.ts";

function bytes(hex: string) {
  return Uint8Array.fromHex(hex.replaceAll(" ", ""));
}

function text(tag: number, value: string) {
  return readElement(encode(tag, new TextEncoder().encode(value)));
}

const rejection: Record<string, string> = {
  "nothing": "",
  "no length": "30",
  "contents that are cut off": "30 03 01 01",
  "a length that is cut off": "30 82 01",
  "an indefinite length": "30 80 00 00",
  "a length that is longer than it has to be": "04 81 01 00",
  "a length with a leading zero": "04 82 00 80",
  "a length of five bytes": "04 85 00 00 00 00 01 00",
  "a tag of several bytes": "3f 81 00 00",
  "bytes that follow": "05 00 00",
};

for (const [what, hex] of Object.entries(rejection)) {
  Deno.test(`der: ${what} is rejected`, () => assert.throws(() => readElement(bytes(hex)), DerError));
}

Deno.test("der: elements are read as encoded", () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const contents = new Uint8Array(length).fill(7);
    const element = readElement(encode(Tag.octetString, contents));
    assert.deepEqual([element.tag, element.contents], [Tag.octetString, contents]);
  }
  for (const oid of ["1.2.840.113635.100.6.11.1", "2.5.29.19", "2.999.3", "0.0", "1.39.4294967295"]) {
    assert.equal(oidOf(readElement(encodeOid(oid))), oid);
  }
  assert.equal(integerOf(readElement(bytes("02 03 01 00 00"))), 65_536);
  for (const hex of ["02 00", "02 01 80", "02 07 01 00 00 00 00 00 00"]) {
    assert.throws(() => integerOf(readElement(bytes(hex))), DerError);
  }
  for (const hex of ["06 00", "06 01 80", "06 09 ff ff ff ff ff ff ff ff 7f", "04 01 00"]) {
    assert.throws(() => oidOf(readElement(bytes(hex))), DerError);
  }
});

Deno.test("der: times have seconds and are in UTC; two digits of a year are of 1950 to 2049", () => {
  const times: [number, string, string][] = [
    [Tag.utcTime, "490101000000Z", "2049-01-01T00:00:00.000Z"],
    [Tag.utcTime, "500101000000Z", "1950-01-01T00:00:00.000Z"],
    [Tag.generalizedTime, "20500101235959Z", "2050-01-01T23:59:59.000Z"],
  ];
  for (const [tag, value, expected] of times) {
    assert.equal(new Date(timeOf(text(tag, value))).toISOString(), expected);
  }
  const wrong: [number, string][] = [
    [Tag.utcTime, "4901010000Z"],
    [Tag.utcTime, "490101000000+0900"],
    [Tag.utcTime, "491301000000Z"],
    [Tag.generalizedTime, "490101000000Z"],
    [Tag.generalizedTime, "20490101000000.5Z"],
    [Tag.utf8String, "490101000000Z"],
  ];
  for (const [tag, value] of wrong) assert.throws(() => timeOf(text(tag, value)), DerError, value);
});

Deno.test("der: any bytes give elements within their bounds, or a DerError", () => {
  const random = chance(690);
  const tags = [0x30, 0x31, 0xa0, 0x24, 0x04, 0x02, 0x06, 0x00];
  for (let nth = 0; nth < 20_000; nth++) {
    const all = Uint8Array.from(
      { length: random.below(40) },
      () => random.next() < 0.5 ? random.pick(tags) : random.below(random.pick([8, 256])),
    );
    for (const rules of ["der", "ber"] as const) {
      try {
        let elements = [readElement(all, rules)];
        for (let depth = 0; depth < 50 && elements.length > 0; depth++) {
          for (const { raw, contents } of elements) {
            assert.ok(raw.length <= all.length && contents.length <= raw.length - 2);
            assert.ok(raw.byteOffset >= all.byteOffset);
          }
          elements = elements.filter(({ tag }) => (tag & 0x20) !== 0).flatMap((element) => childrenOf(element, rules));
        }
      } catch (error) {
        assert.ok(error instanceof DerError, String(error));
      }
    }
  }
});
