/// <reference lib="dom" />
/** The colours of tokens of the style sheet as charts and maps need them: a canvas does not know custom properties. */

/** The colours that the page has now, light or dark. */
export function colors<Token extends string>(tokens: readonly Token[]): Readonly<Record<Token, string>> {
  const probe = document.createElement("span");
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const found = Object.fromEntries(tokens.map((token) => {
    probe.style.color = `var(--${token})`;
    return [token, style.color];
  }));
  probe.remove();
  return found as Record<Token, string>;
}

export function color(token: "line" | "ink-2" | "brand" | "fine" | "stop"): string {
  return colors([token])[token];
}
