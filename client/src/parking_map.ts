/// <reference lib="dom" />
/**
 * `<parking-map>`: parking lots around a place with their prices for a stay, on a map and in a list. It keeps nothing in the
 * browser. docs/clients/website.md describes its attributes.
 */
import { createParkingClient } from "./client.ts";
import { ApiError, NetworkError } from "./errors.ts";
import { MapCanvas, type MapLibreModule } from "./map_canvas.ts";
import {
  AttributeError,
  distance,
  isOpen,
  type Lot,
  type LotState,
  numberOf,
  type Place,
  reasonsOf,
  RequestBudget,
  statesOf,
  type Stay,
  stayOf,
  walkMinutes,
} from "./map_lots.ts";
import { MAP_STYLE } from "./map_style.ts";
import { kilometres, type MapLanguage, mapLanguage, type MapTexts, mapTexts, money, stayText } from "./map_texts.ts";
import { serviceRoot } from "./root.ts";
import type { ParkingClient } from "./types.ts";

export type { MapLibreModule } from "./map_canvas.ts";

/** `detail` of the event `parking-lot-chosen`. */
export interface ChosenParkingLot {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  /** The price of the stay in minor units of the currency. Null if it is unknown or the lot cannot be used. */
  readonly fee: number | null;
  readonly currency: string;
  /** Null if the service does not know. */
  readonly usable: boolean | null;
  readonly stay: Stay;
  /** The page of the lot in the application, if the element has `app`. */
  readonly url: string | null;
}

const LIMIT = 30;
/** What the list shows before the button for the others is pressed. */
const FIRST_LOTS = 8;
const ZOOM = 15;
/** Metres around the place without a map. */
const LIST_RADIUS_M = 1_000;
/** A larger circle would be an expensive read. */
const MAX_RADIUS_M = 2_000;
const DEBOUNCE_MS = 400;
const REQUESTS_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 15_000;
/** A move by less than this part of the radius shows the same lots. */
const SMALL_MOVE = 0.15;
const MAX_WALK_MINUTES = 60;

const ATTRIBUTES = [
  "api",
  "app",
  "entry",
  "hours",
  "lang",
  "lat",
  "lng",
  "map-style",
  "maplibre",
  "maplibre-worker",
  "place",
  "zoom",
] as const;

type Attribute = (typeof ATTRIBUTES)[number];

/** Without these attributes the element is drawn again, with the same map. */
const LIGHT: readonly string[] = ["entry", "hours", "app"];

/** A module that is imported on a server has no elements. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

let sheet: CSSStyleSheet | undefined;

function styleSheet(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(MAP_STYLE);
  }
  return sheet;
}

/** An element whose class is its part. */
function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  part: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = part;
  element.setAttribute("part", part);
  element.append(...children);
  return element;
}

function makeButton(part: string, label: string, act: () => void): HTMLButtonElement {
  const button = make("button", `button ${part}`, label);
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

/** What does not change until the element begins again. */
interface Skeleton {
  readonly frame: HTMLElement;
  readonly title: HTMLElement;
  readonly mapBox: HTMLElement;
  readonly canvas: HTMLElement;
  readonly card: HTMLElement;
  readonly status: HTMLElement;
  readonly error: HTMLElement;
  readonly list: HTMLElement;
  readonly more: HTMLElement;
  readonly open: HTMLAnchorElement;
}

interface Found {
  readonly lots: readonly Lot[];
  readonly stay: Stay;
  readonly isTruncated: boolean;
}

export class ParkingMapElement extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;

  readonly #budget = new RequestBudget(REQUESTS_PER_MINUTE, MINUTE_MS);
  #library: MapLibreModule | undefined;
  #mapStyle: string | object | undefined;
  #parts: Skeleton | undefined;
  #canvas: MapCanvas | undefined;
  #client: ParkingClient | undefined;
  #place: Place | undefined;
  #found: Found | undefined;
  #asked: { readonly lat: number; readonly lng: number; readonly radius: number } | undefined;
  #chosen: string | undefined;
  #isWhole = false;
  #hasMapFailed = false;
  /** Ends what an earlier beginning has under way. */
  #life = new AbortController();
  /** Ends the request for lots that a newer one replaces. */
  #request = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: "all" | "lots" | undefined;

  /** The module `maplibre-gl`, in place of the attribute. */
  get maplibre(): MapLibreModule | undefined {
    return this.#library;
  }

  set maplibre(module: MapLibreModule | undefined) {
    this.#library = module;
    this.#begin("all");
  }

  /** The style of the map, in place of the attribute: an address or an object. */
  get mapStyle(): string | object | undefined {
    return this.#mapStyle;
  }

  set mapStyle(style: string | object | undefined) {
    this.#mapStyle = style;
    this.#begin("all");
  }

  connectedCallback(): void {
    // A page can set properties before this module has come.
    for (const name of ["maplibre", "mapStyle"] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      Object.assign(this, { [name]: value });
    }
    if (this.shadowRoot === null) this.attachShadow({ mode: "open" }).adoptedStyleSheets = [styleSheet()];
    this.#begin("all");
  }

  disconnectedCallback(): void {
    this.#end();
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before !== value) this.#begin(LIGHT.includes(name) ? "lots" : "all");
  }

  /** Reads the lots again, for example after a time. */
  refresh(): void {
    this.#begin("lots");
  }

  /** Begins after all changes of this task. */
  #begin(what: "all" | "lots"): void {
    if (!this.isConnected) return;
    const isPlanned = this.#waiting !== undefined;
    if (this.#waiting !== "all") this.#waiting = what;
    if (isPlanned) return;
    queueMicrotask(() => {
      const what = this.#waiting;
      this.#waiting = undefined;
      if (!this.isConnected) return;
      if (what === "all" || this.#place === undefined) void this.#start();
      else {
        this.#load(0);
      }
    });
  }

  #end(): void {
    this.#life.abort();
    this.#request.abort();
    clearTimeout(this.#timer);
    this.#canvas?.remove();
    this.#canvas =
      this.#place =
      this.#found =
      this.#asked =
      this.#chosen =
        undefined;
    this.#hasMapFailed = false;
  }

  async #start(): Promise<void> {
    this.#end();
    const { signal } = this.#life = new AbortController();
    this.#build();
    this.#say(this.#texts.loading);
    try {
      this.#client = this.#newClient();
      this.#drawTitle(this.#stay());
      const zoom = numberOf("zoom", this.#read("zoom"), 0, 22) ?? ZOOM;
      const [place] = await Promise.all([this.#findPlace(signal), this.#loadLibrary()]);
      if (signal.aborted) return;
      this.#place = place;
      this.#drawLink();
      this.#drawMap(place, zoom);
      this.#load(0);
    } catch (error) {
      if (!signal.aborted) this.#fail(error, () => void this.#start());
    }
  }

  get #language(): MapLanguage {
    const root = this.getRootNode();
    const host = root instanceof ShadowRoot ? root.host : undefined;
    const named = this.closest("[lang]") ?? host?.closest("[lang]");
    return mapLanguage(named?.getAttribute("lang") || document.documentElement.lang || navigator.language);
  }

  get #texts(): MapTexts {
    return mapTexts[this.#language];
  }

  #read(name: Attribute): string | null {
    return this.getAttribute(name);
  }

  #stay(): Stay {
    return stayOf(this.#read("entry"), this.#read("hours"), Date.now());
  }

  #newClient(): ParkingClient {
    let url = "";
    try {
      url = new URL(this.#read("api")!, document.baseURI).href;
      serviceRoot(url);
    } catch {
      throw new AttributeError("api");
    }
    return createParkingClient({
      url,
      // A person has a button for the next attempt.
      retry: { maxRetries: 0 },
      fetch: (request) => {
        this.#budget.take(Date.now());
        return fetch(request, { credentials: "omit", referrerPolicy: "no-referrer" });
      },
    });
  }

  async #findPlace(signal: AbortSignal): Promise<Place> {
    const lat = numberOf("lat", this.#read("lat"), -85, 85);
    const lng = numberOf("lng", this.#read("lng"), -180, 180);
    if (lat !== undefined && lng !== undefined) return { lat, lng };
    if (lat !== undefined) throw new AttributeError("lng");
    if (lng !== undefined) throw new AttributeError("lat");
    const q = this.#read("place")?.trim();
    if (!q) throw new AttributeError("lat");
    await pause(this.#budget.wait(Date.now()), signal);
    const { data } = await this.#client!.GET("/v1/places", {
      params: { query: { q, limit: 1, lang: this.#language } },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const [found] = data.items;
    if (found === undefined) throw new PlaceError(q);
    return found;
  }

  /** MapLibre: the property, or the module or script of the attribute. Without either there is a list alone. */
  async #loadLibrary(): Promise<void> {
    const address = this.#read("maplibre");
    if (this.#library !== undefined || address === null) return;
    try {
      const module = await import(/* @vite-ignore */ new URL(address, document.baseURI).href);
      // A script of MapLibre 5 has no exports: it sets a global.
      const library = module.Map
        ? module
        : module.default?.Map
        ? module.default
        : Reflect.get(globalThis, "maplibregl");
      const worker = this.#read("maplibre-worker");
      if (worker !== null) library.setWorkerUrl(new URL(worker, document.baseURI).href);
      this.#library = library;
    } catch {
      this.#hasMapFailed = true;
    }
  }

  #drawMap(center: Place, zoom: number): void {
    const address = this.#read("map-style");
    const style = this.#mapStyle ?? (address === null ? undefined : new URL(address, document.baseURI).href);
    if (this.#library === undefined || style === undefined) return;
    const { frame, mapBox, canvas: container } = this.#parts!;
    frame.classList.add("with-map");
    mapBox.hidden = false;
    try {
      this.#canvas = new MapCanvas({
        library: this.#library,
        container,
        style,
        center,
        zoom,
        texts: this.#texts,
        onMove: () => this.#isFarFromLast() && this.#load(DEBOUNCE_MS),
        onChoose: (lot) => this.#choose(lot),
        onFail: () => this.#dropMap(),
      });
    } catch {
      this.#dropMap();
    }
  }

  /** Without WebGL, or without the style, the list stays. */
  #dropMap(): void {
    this.#hasMapFailed = true;
    const { frame, mapBox } = this.#parts!;
    frame.classList.remove("with-map");
    mapBox.hidden = true;
    this.#canvas?.remove();
    this.#canvas = undefined;
    if (this.#found) this.#draw();
  }

  #circle(): { lat: number; lng: number; radius: number; isCut: boolean } {
    const { lat, lng, radius } = this.#canvas?.view ?? { ...this.#place!, radius: LIST_RADIUS_M };
    // Longitudes of a map that was turned around the earth.
    const turned = ((lng + 180) % 360 + 360) % 360 - 180;
    return {
      lat,
      lng: turned,
      radius: Math.max(50, Math.round(Math.min(MAX_RADIUS_M, radius))),
      isCut: radius > MAX_RADIUS_M,
    };
  }

  #isFarFromLast(): boolean {
    if (this.#asked === undefined) return true;
    const next = this.#circle();
    return distance(this.#asked, next) > SMALL_MOVE * next.radius ||
      Math.abs(next.radius - this.#asked.radius) > SMALL_MOVE * next.radius;
  }

  /** Reads the lots after a delay, and no earlier than the budget of requests allows. A request before is aborted. */
  #load(delayMs: number): void {
    this.#request.abort();
    clearTimeout(this.#timer);
    const { signal } = this.#request = new AbortController();
    const send = async () => {
      const wait = this.#budget.wait(Date.now());
      if (wait > 0) {
        this.#timer = setTimeout(send, wait);
        return;
      }
      this.#parts!.list.ariaBusy = "true";
      if (this.#found === undefined || !this.#parts!.error.hidden) this.#say(this.#texts.loading);
      try {
        const stay = this.#stay();
        const { isCut, ...circle } = this.#circle();
        this.#asked = circle;
        const { data, response } = await this.#client!.GET("/v1/parking-lots/nearby", {
          params: {
            query: {
              lat: circle.lat,
              lng: circle.lng,
              radius_m: circle.radius,
              limit: LIMIT,
              sort: "recommended",
              usable: "first",
              filters: stay,
            },
          },
          signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        });
        if (signal.aborted) return;
        const lots = data.flatMap(({ lat, lng, ...lot }) => lat === null || lng === null ? [] : [{ ...lot, lat, lng }]);
        this.#found = { lots, stay, isTruncated: isCut || response.headers.get("x-truncated") === "true" };
        if (!lots.some(({ id }) => id === this.#chosen)) this.#chosen = undefined;
        this.#draw();
      } catch (error) {
        if (signal.aborted) return;
        this.#asked = undefined;
        this.#fail(error, () => this.#load(0));
      }
    };
    if (delayMs > 0) this.#timer = setTimeout(send, delayMs);
    else void send();
  }

  /** What is the same for all lots. */
  #build(): void {
    const t = this.#texts;
    const title = make("p", "title");
    const canvas = make("div", "canvas");
    const card = make("div", "card");
    const skip = makeButton("skip", t.skip, () => {
      const { list, open } = this.#parts!;
      (list.querySelector<HTMLElement>(".name") ?? open).focus();
    });
    const zoomIn = makeButton("zoom-in", "+", () => this.#canvas?.zoomIn());
    const zoomOut = makeButton("zoom-out", "−", () => this.#canvas?.zoomOut());
    zoomIn.ariaLabel = t.zoomIn;
    zoomOut.ariaLabel = t.zoomOut;
    const mapBox = make("div", "map", skip, canvas, make("div", "zoom", zoomIn, zoomOut), card);
    const status = make("p", "status");
    status.role = "status";
    status.tabIndex = -1;
    const error = make("div", "error");
    error.role = "alert";
    const list = make("ol", "list");
    list.ariaLabel = t.list;
    // Safari takes the role from a list without marks.
    list.role = "list";
    const more = make("div", "more");
    const open = make("a", "open", t.open);
    const side = make("div", "side", status, error, list, more, open);
    const frame = make("section", "frame", title, make("div", "body", mapBox, side));
    frame.ariaLabel = t.region;
    frame.lang = this.#language;
    mapBox.hidden =
      card.hidden =
      error.hidden =
      open.hidden =
        true;
    this.#parts = { frame, title, mapBox, canvas, card, status, error, list, more, open };
    this.shadowRoot!.replaceChildren(frame);
  }

  #say(text: string): void {
    const { status, error } = this.#parts!;
    status.textContent = text;
    error.hidden = true;
    error.replaceChildren();
  }

  #draw(): void {
    const { lots, stay, isTruncated } = this.#found!;
    const { list, more } = this.#parts!;
    const t = this.#texts;
    const states = statesOf(lots);
    this.#drawTitle(stay);
    list.ariaBusy = null;
    const usable = lots.filter(isOpen).length;
    const notes = [
      lots.length > 0 ? t.found(lots.length, usable) : "",
      isTruncated && lots.length > 0 ? this.#canvas ? t.moreByZoom : t.onlyNearest : "",
      this.#hasMapFailed ? t.noMap : "",
    ];
    this.#say(notes.filter(Boolean).join(this.#language === "ja" ? "。" : ". ").replace("。。", "。"));
    if (lots.length === 0) this.#offer(t.none, () => this.#load(0), true);

    const count = this.#isWhole ? lots.length : Math.min(lots.length, FIRST_LOTS);
    this.#keepingFocus(list, () => {
      list.replaceChildren(...lots.slice(0, count).map((lot) => this.#item(lot, states.get(lot.id)!)));
    });
    more.replaceChildren(
      ...count < lots.length
        ? [makeButton("show-all", t.more(lots.length), () => {
          this.#isWhole = true;
          this.#draw();
          list.querySelectorAll<HTMLElement>(".name")[FIRST_LOTS]?.focus();
        })]
        : [],
    );
    const contents = lots.map((lot) => {
      const state = states.get(lot.id)!;
      const label = state === "unusable" ? "×" : state === "unknown" ? "?" : this.#price(lot);
      return { lot, state, label, name: [lot.name, ...this.#words(lot, state)].join(t.comma) };
    });
    this.#canvas?.show(contents, this.#chosen);
    this.#drawCard(states);
    this.#drawLink();
  }

  #drawTitle({ entry_at, exit_at }: Stay): void {
    this.#parts!.title.textContent = this.#texts.stay(stayText(entry_at, exit_at, this.#language));
  }

  /** Draws the list again; the link of the same lot has the focus afterwards. */
  #keepingFocus(list: HTMLElement, draw: () => void): void {
    const focused = this.shadowRoot!.activeElement?.closest<HTMLElement>("[data-lot]")?.dataset["lot"];
    draw();
    if (focused) list.querySelector<HTMLElement>(`[data-lot="${CSS.escape(focused)}"] .name`)?.focus();
  }

  /** The price, or its bounds. */
  #price({ estimated_fee: fee, currency, fee_refusal: refusal }: Lot): string {
    const t = this.#texts;
    const text = (amount: number) => money(amount, refusal?.currency ?? currency, this.#language);
    if (fee !== null) return text(fee);
    const { at_least: least, at_most: most } = refusal ?? {};
    if (least === undefined) return t.noPrice;
    if (most === undefined) return t.atLeast(text(least));
    return least === 0 ? t.atMost(text(most)) : t.between(text(least), text(most));
  }

  /** Why a lot cannot be used. Its price is not shown: it would read like an offer. */
  #reason(lot: Lot): string {
    const t = this.#texts;
    return reasonsOf(lot).map((reason) => t.reasons[reason] ?? t.unusable).join(t.comma) || t.unusable;
  }

  /** The price or the reason, and what else matters for the choice. */
  #words(lot: Lot, state: LotState): string[] {
    return [
      state === "unusable" ? this.#reason(lot) : this.#price(lot),
      ...this.#facts(lot, state).map(([text]) => text),
    ];
  }

  #facts(lot: Lot, state: LotState): [text: string, kind: string][] {
    const t = this.#texts;
    const metres = distance(this.#place!, lot);
    const minutes = walkMinutes(metres);
    const way = minutes <= MAX_WALK_MINUTES ? t.walk(minutes) : t.km(kilometres(metres, this.#language));
    const facts: [string, string][] = [[way, "walk"]];
    if (state === "unusable") return facts;
    if (state === "best") facts.unshift([t.best, "best"]);
    if (!isOpen(lot)) facts.push([t.hoursUnknown, "hours"]);
    if (lot.surprises && lot.surprises.length > 0) facts.push([t.surprise, "warn"]);
    return facts;
  }

  #amount(lot: Lot, state: LotState): HTMLElement {
    if (state === "unusable") return make("span", "reason", this.#reason(lot));
    return make("span", state === "unknown" ? "price unknown" : "price", this.#price(lot));
  }

  #factLine(lot: Lot, state: LotState): HTMLElement {
    const facts = this.#facts(lot, state).flatMap(([text, kind]) => [" · ", make("span", `fact ${kind}`, text)]);
    return make("p", "facts", ...facts.slice(1));
  }

  #item(lot: Lot, state: LotState): HTMLElement {
    const item = make("li", "lot", this.#nameOf(lot), this.#amount(lot, state), this.#factLine(lot, state));
    item.dataset["lot"] = lot.id;
    if (lot.id === this.#chosen) item.setAttribute("aria-current", "true");
    return item;
  }

  /** A link to the lot; without the application a button. */
  #nameOf(lot: Lot): HTMLElement {
    const url = this.#lotUrl(lot);
    if (url === null) {
      const button = make("button", "name", lot.name);
      button.type = "button";
      button.addEventListener("click", () => this.#choose(lot));
      return button;
    }
    const link = make("a", "name", lot.name);
    link.href = url;
    link.addEventListener("click", (event) => this.#announce(lot) || event.preventDefault());
    return link;
  }

  /** The chosen lot, over the map. */
  #drawCard(states = statesOf(this.#found?.lots ?? [])): void {
    const { card } = this.#parts!;
    const t = this.#texts;
    const lot = this.#found?.lots.find(({ id }) => id === this.#chosen);
    card.hidden = lot === undefined;
    if (lot === undefined) return card.replaceChildren();
    card.classList.toggle("high", this.#canvas?.isLow(lot) ?? false);
    const state = states.get(lot.id)!;
    const what = make(
      "div",
      "what",
      make("span", "name", lot.name),
      this.#amount(lot, state),
      this.#factLine(lot, state),
    );
    const focused = card.contains(this.shadowRoot!.activeElement)
      ? this.shadowRoot!.activeElement!.className
      : undefined;
    const close = makeButton("close", "×", () => {
      const pin = this.shadowRoot!.querySelector<HTMLElement>(".pin[aria-pressed=true]");
      this.#chosen = undefined;
      this.#draw();
      pin?.focus();
    });
    close.ariaLabel = t.close;
    const url = this.#lotUrl(lot);
    const link = make("a", "details", t.details);
    link.href = url ?? "";
    link.ariaLabel = `${t.details}${t.comma}${lot.name}`;
    card.replaceChildren(what, ...url === null ? [make("span", "")] : [link], close);
    if (focused) card.querySelector<HTMLElement>(`[class="${focused}"]`)?.focus();
  }

  #choose(lot: Lot): void {
    if (!this.#announce(lot)) return;
    this.#chosen = lot.id;
    this.#draw();
    const { list, frame } = this.#parts!;
    const item = list.querySelector<HTMLElement>(`[data-lot="${CSS.escape(lot.id)}"]`);
    const side = list.parentElement!;
    // Only the list is scrolled, never the page.
    if (item && frame.classList.contains("with-map") && side.scrollHeight > side.clientHeight) {
      side.scrollTop = item.offsetTop - side.clientHeight / 3;
    }
  }

  /** False if a listener prevented what follows. */
  #announce(lot: Lot): boolean {
    const isUnusable = statesOf([lot]).get(lot.id) === "unusable";
    const detail: ChosenParkingLot = {
      id: lot.id,
      name: lot.name,
      lat: lot.lat,
      lng: lot.lng,
      fee: isUnusable ? null : lot.estimated_fee,
      currency: lot.currency,
      usable: isUnusable ? false : lot.usable_for_stay,
      stay: this.#found!.stay,
      url: this.#lotUrl(lot),
    };
    return this.dispatchEvent(
      new CustomEvent("parking-lot-chosen", { detail, bubbles: true, composed: true, cancelable: true }),
    );
  }

  /** An address of the application. Null without `app`, or with one that is no page of the web. */
  #appUrl(path: string, query: Record<string, string>): string | null {
    const app = this.#read("app");
    if (app === null) return null;
    try {
      const url = new URL(app, document.baseURI);
      if (!/^https?:$/.test(url.protocol)) return null;
      url.hash = `${path}?${new URLSearchParams(query)}`;
      return url.href;
    } catch {
      return null;
    }
  }

  #lotUrl({ id }: Lot): string | null {
    return this.#appUrl(`/lots/${id}`, { ...this.#found!.stay, vehicle_type: "standard" });
  }

  /** The link to the search of the application. */
  #drawLink(): void {
    const { open } = this.#parts!;
    const { lat, lng } = this.#place!;
    const { entry_at, exit_at } = this.#found?.stay ?? this.#stay();
    const times = { entry: inJapan(entry_at), exit: inJapan(exit_at) };
    const url = this.#appUrl("/", { lat: String(lat), lng: String(lng), ...times });
    open.hidden = url === null;
    if (url !== null) open.href = url;
  }

  #fail(error: unknown, again: () => void): void {
    const t = this.#texts;
    const { list } = this.#parts!;
    list.ariaBusy = null;
    this.#say("");
    if (error instanceof AttributeError) return this.#offer(t.attribute(error.attribute));
    if (error instanceof PlaceError) return this.#offer(t.noPlace(error.place), again);
    if (error instanceof ApiError && error.retryAfterSeconds !== null) {
      this.#budget.close(error.retryAfterSeconds, Date.now());
      return this.#offer(t.wait(error.retryAfterSeconds), again);
    }
    this.#offer(error instanceof NetworkError ? t.offline : t.failed, again);
  }

  /** A sentence with a button that tries again. */
  #offer(text: string, again?: () => void, isEmpty = false): void {
    const { error } = this.#parts!;
    error.className = isEmpty ? "error empty" : "error";
    error.hidden = false;
    const retry = () => {
      again!();
      // The button is removed: a reader hears next what comes of it.
      this.#parts!.status.focus();
    };
    error.replaceChildren(make("p", "message", text), ...again ? [makeButton("retry", this.#texts.again, retry)] : []);
  }
}

class PlaceError extends Error {
  readonly place: string;

  constructor(place: string) {
    super(`${place} was not found.`);
    this.place = place;
  }
}

/** The value of a field of the application for a time. */
function inJapan(time: string): string {
  return new Date(Date.parse(time) + 9 * 3_600_000).toISOString().slice(0, 16);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}

const registry = globalThis.customElements;
if (registry && !registry.get("parking-map")) registry.define("parking-map", ParkingMapElement);

declare global {
  interface HTMLElementTagNameMap {
    "parking-map": ParkingMapElement;
  }
  interface GlobalEventHandlersEventMap {
    "parking-lot-chosen": CustomEvent<ChosenParkingLot>;
  }
}
