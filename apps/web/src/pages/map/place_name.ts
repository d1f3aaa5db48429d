import { language } from "../../language.ts";

/** The name of a place in the reader's language, where it has such a name. */
export function placeName({ name, name_en }: { readonly name: string; readonly name_en: string | null }): string {
  return language.value === "ja" ? name : name_en ?? name;
}
