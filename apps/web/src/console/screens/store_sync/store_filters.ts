/** The filters that the lists of the stores share. */
import { options } from "../../../codes.ts";
import { consoleTexts } from "../../../texts/console.ts";
import type { Filter } from "../../kit/filters.tsx";

const text = consoleTexts(({ storeSync }) => storeSync);

const stores = () => options("store").filter(([code]) => code !== "all");
export const storeFilter = (): Filter => ({ name: "store", label: text.value.store, options: stores() });
export const dayFilters = (): Filter[] => [
  { name: "from", label: text.value.from, type: "date" },
  { name: "to", label: text.value.to, type: "date" },
];
