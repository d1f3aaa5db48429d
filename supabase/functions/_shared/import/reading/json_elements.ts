import { ImportFailure } from "../failure.ts";

const QUOTE = 34, BACKSLASH = 92, OPEN = 123, CLOSE = 125, OPEN_LIST = 91, CLOSE_LIST = 93, COMMA = 44, NEWLINE = 10;

function isSpace(code: number): boolean {
  return code === 32 || code === NEWLINE || code === 13 || code === 9;
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ImportFailure(`${where} is not JSON: ${error.message}. Nothing was imported.`);
  }
}

export interface Envelope {
  /** The document without the elements of the list that was read; known once the last element has been. */
  document?: unknown;
}

/**
 * The objects of one list of a JSON document, each parsed as soon as it is complete, so that a file of any size needs the
 * memory of one: the first member of the document that has one of the names, or the document itself where it is a list.
 */
export async function* jsonElements(
  text: AsyncIterable<string>,
  listNames: readonly string[],
  envelope: Envelope,
): AsyncGenerator<unknown> {
  let around = ""; // the document outside the elements
  let line = 1;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let lastString = ""; // the latest string of the outermost object: its key, when a list begins
  let listDepth = -1; // the depth inside the list, once it has been found
  let found = false;
  let expects: "element" | "comma" = "element";
  let number = 0;
  let element = ""; // what earlier chunks held of the element being read
  let inElement = false;
  const complete: unknown[] = [];

  for await (const chunk of text) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (code === NEWLINE) line++;
      const isBetween = !inElement && !inString && depth === listDepth && !isSpace(code) && code !== CLOSE_LIST;
      if (!inElement && !isBetween) around += chunk[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (code === BACKSLASH) escaped = true;
        else if (code === QUOTE) inString = false;
        if (inString && !inElement && depth === 1) lastString += chunk[at];
        continue;
      }
      if (isBetween) {
        if (code === COMMA && expects === "comma") {
          expects = "element";
        } else if (code === OPEN && expects === "element") {
          inElement = true;
          number++;
          from = at;
          depth++;
        } else {
          throw new ImportFailure(
            `Line ${line}: unexpected ${JSON.stringify(chunk[at])} after feature ${number}. Nothing was imported.`,
          );
        }
        continue;
      }
      if (code === QUOTE) {
        inString = true;
        if (!inElement && depth === 1) lastString = "";
      } else if (code === OPEN || code === OPEN_LIST) {
        if (code === OPEN_LIST && !found && (depth === 0 || (depth === 1 && listNames.includes(lastString)))) {
          found = true;
          listDepth = depth + 1;
        }
        depth++;
      } else if (code === CLOSE || code === CLOSE_LIST) {
        if (depth === listDepth && !inElement) listDepth = -1;
        depth--;
        if (inElement && depth === listDepth) {
          inElement = false;
          expects = "comma";
          complete.push(parsed(element + chunk.slice(from, at + 1), `Feature ${number} (it ends in line ${line})`));
          element = "";
        }
      }
    }
    if (inElement) element += chunk.slice(from);
    yield* complete.splice(0);
  }
  if (inElement || inString || depth > 0) {
    throw new ImportFailure(
      `The file ends in line ${line} in the middle of ${inElement ? `feature ${number}` : "its JSON"}.`,
    );
  }
  if (number > 0 && expects === "element") {
    throw new ImportFailure(`A comma follows the last feature (${number}). Nothing was imported.`);
  }
  envelope.document = parsed(around, "The file");
  if (!found) throw new ImportFailure(`The file has no list ${JSON.stringify(listNames[0])}.`);
}
