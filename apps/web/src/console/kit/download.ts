/// <reference lib="dom" />
/** Files that the console makes in the browser. */

export function download(name: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}

/** Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe; numbers stay. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  const cell = (value: string) => {
    const safe = /^[=+\-@\t\r＝＋－＠]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
