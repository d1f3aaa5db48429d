/// <reference lib="dom" />
// The search field in the header: finds sections of pages and operations of the contract. `/` moves to it, Escape ends it.
import MiniSearch, { type SearchResult } from "minisearch";
import { find, type Found, OPTIONS } from "../search_index.ts";

const MAX_RESULTS = 20;
const ROOT = new URL(".", import.meta.url);

const area = document.querySelector("search")!;
const words = document.querySelector<HTMLInputElement>("#words")!;
const count = document.querySelector("#count")!;
const results = document.querySelector<HTMLElement>("#results")!;

let loading: Promise<MiniSearch<Found>> | undefined;

async function load(): Promise<MiniSearch<Found>> {
  const response = await fetch(new URL("search.json", ROOT));
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  return MiniSearch.loadJSON<Found>(await response.text(), OPTIONS);
}

function index(): Promise<MiniSearch<Found>> {
  return loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
}

async function search(): Promise<void> {
  const query = words.value.trim();
  if (query === "") return show("", []);
  try {
    const loaded = await index();
    // The field may have changed while the index was read.
    if (words.value.trim() !== query) return;
    const found = find(loaded, query);
    const status = found.length === 0
      ? `Nothing was found for “${query}”. Try another word, in English or Japanese.`
      : found.length === 1
      ? "1 result"
      : `${found.length} results`;
    show(status, found.slice(0, MAX_RESULTS));
  } catch {
    show("The search index could not be loaded.", []);
  }
}

function show(status: string, found: readonly SearchResult[]): void {
  count.textContent = status;
  results.hidden = found.length === 0;
  results.replaceChildren(...found.map(({ id, title, page }) => {
    const link = document.createElement("a");
    link.href = new URL(id, ROOT).href;
    link.textContent = title;
    const place = document.createElement("span");
    place.textContent = page;
    link.append(" ", place);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
}

words.addEventListener("focus", () => void index().catch(() => {}), { once: true });
words.addEventListener("input", () => void search());
// A result on the same page changes only the anchor.
results.addEventListener("click", () => {
  words.value = "";
  show("", []);
});
area.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  words.value = "";
  show("", []);
  words.focus();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement &&
    event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  words.focus();
});
area.hidden = false;
