// How the library's connections read and write JSON columns and arguments.

/**
 * The library hands JSON over as text already; written as JSON once more it would arrive as a string that holds the
 * text, and `->>` would find nothing in it.
 */
export const textualJson = { json: textual(114), jsonb: textual(3802) };

function textual(type: number) {
  return {
    to: type,
    from: [type],
    serialize: (value: unknown) => typeof value === "string" ? value : JSON.stringify(value),
    parse: (text: string) => JSON.parse(text),
  };
}
