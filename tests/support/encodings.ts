// Bytes of texts in old encodings, found by decoding all bytes and pairs of bytes: the platform only decodes.

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, readonly number[]>();
  const add = (...bytes: number[]) => {
    const text = decoder.decode(new Uint8Array(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && !table.has(text)) table.set(text, bytes);
  };
  for (let lead = 0; lead <= 0xff; lead++) add(lead);
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  }
  return table;
}

export function encoded(text: string, encoding: "shift_jis" | "euc-jp" | "windows-1252"): Uint8Array<ArrayBuffer> {
  const table = tables.get(encoding) ?? tableOf(encoding);
  tables.set(encoding, table);
  return new Uint8Array([...text].flatMap((character) => {
    const bytes = table.get(character);
    if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
    return bytes;
  }));
}

/** Its kanji and kana are those of EUC-JP in seven bits, between escapes. */
export function iso2022jp(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    text.split(/(\P{ASCII}+)/u).flatMap((part) => {
      const bytes = [...encoded(part, "euc-jp")];
      const isAscii = bytes.every((byte) => byte < 0x80);
      return isAscii ? bytes : [0x1b, 0x24, 0x42, ...bytes.map((byte) => byte & 0x7f), 0x1b, 0x28, 0x42];
    }),
  );
}

/** With a byte order mark. */
export function utf16(text: string, isLittle: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(text.length * 2 + 2));
  for (let at = 0; at <= text.length; at++) view.setUint16(at * 2, `\ufeff${text}`.charCodeAt(at), isLittle);
  return new Uint8Array(view.buffer);
}
