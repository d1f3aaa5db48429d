// How the app can look: one theme for everybody, some to buy and some to earn.
import { insert } from "./sql.ts";

const COLUMNS = ["name", "description", "is_free", "price_yen_minor", "unlock_level", "sort_order"];

const THEMES = [
  ["スタンダード", "はじめから使えるテーマです。", true, null, null, 10],
  ["ナイトドライブ", "夜道で目にやさしい配色です。", true, null, null, 20],
  ["桜", "春の並木道をイメージしました。", false, 250, null, 30],
  ["アスファルト", "モノクロのシンプルなテーマです。", false, 250, null, 40],
  ["ゴールドメーター", "レベル10のごほうびです。", false, null, 10, 50],
] as const;

export function themesSql(): string {
  return insert("public.themes", COLUMNS, THEMES);
}
