/** The filters that the lists of the stores share. */
import { options } from "../../../codes.ts";
import type { Filter } from "../../kit/filters.tsx";
import { text } from "./texts.ts";

const stores = () => options("store").filter(([code]) => code !== "all");
export const storeFilter = (): Filter => ({ name: "store", label: text.value.store, options: stores() });
export const dayFilters = (): Filter[] => [
  { name: "from", label: text.value.from, type: "date" },
  { name: "to", label: text.value.to, type: "date" },
];
