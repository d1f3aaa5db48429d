// The statements of an SQL file, divided as the Supabase CLI divides the files that it applies.

/** Comments, quoted texts and names, bodies, and what begins, ends or holds a statement. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\be'(?:[^'\\]|\\[\s\S]|'')*'|'[^']*'|"[^"]*"|(?<![\w$])\$(\w*)\$[\s\S]*?\$\1\$|\bbegin\s+atomic\b|\bcase\b|\bend\b|[();]/gi;

/** Each statement with the comments before it, without its semicolon. */
export function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let [start, parentheses, blocks] = [0, 0, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const word = token.toLowerCase();
    if (word === "(") parentheses++;
    else if (word === ")") parentheses--;
    else if (word.startsWith("begin") || (word === "case" && blocks > 0)) blocks++;
    else if (word === "end" && blocks > 0) blocks--;
    else if (word === ";" && parentheses === 0 && blocks === 0) {
      statements.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  return [...statements, text.slice(start).trim()].filter((statement) => statement !== "");
}
