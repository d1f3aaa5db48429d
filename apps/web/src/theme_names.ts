/** The colours of each theme, by its name in styles/themes.css. */
import { ownThemes } from "./texts/ja/themes.ts";

export const THEMES = ["night", "blossom", "asphalt", "gold", "sea"] as const;
export type ThemeName = typeof THEMES[number];

const OWN: Readonly<Record<string, ThemeName | undefined>> = ownThemes;

/** What a theme looks like. One of an operator has the colours that its id chooses: the same on every device. */
export function themeNameOf({ id, name }: { readonly id: string; readonly name: string }): ThemeName | undefined {
  if (Object.hasOwn(OWN, name)) return OWN[name];
  const sum = [...id].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 9973, 0);
  return THEMES[1 + sum % (THEMES.length - 1)];
}
