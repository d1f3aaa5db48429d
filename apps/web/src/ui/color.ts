/// <reference lib="dom" />
/** The colour of a token of the style sheet as charts and maps need it: a canvas does not know custom properties. */
export function color(
  token: "paper" | "raised" | "ink" | "soft" | "line" | "accent" | "on-accent" | "good" | "warn" | "bad",
): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
