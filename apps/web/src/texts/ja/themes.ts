/** The themes that the project brings, by the names under which the service has them. The first one is the standard. */
export const ownThemes = {
  "スタンダード": undefined,
  "ナイトドライブ": "night",
  "桜": "blossom",
  "アスファルト": "asphalt",
  "ゴールドメーター": "gold",
} as const;
