/// <reference lib="dom" />
/** One line for everything: a place, a station, an address, a lot or a sentence, with suggestions while typing. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { components } from "parking-lot-client";
import { AiSearchRequest } from "../../bounds.ts";
import { language } from "../../language.ts";
import { position, readPosition } from "../../position.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { useAction } from "../../ui/load.tsx";
import { limited } from "../../ui/validity.ts";
import { placeName } from "./place_name.ts";
import { readSentence } from "./sentence.ts";
import type { Sentence } from "./sentence_values.ts";

type Place = components["schemas"]["Place"];

const text = pageTexts(({ map }) => map.searchLine);

/** A pause in typing after which suggestions are requested. */
const PAUSE_MS = 120;
const MOST = 6;

/** A place of the search. */
export interface ChosenPlace {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  /** How far it extends, roughly, if that is known. */
  readonly radius_m?: number;
}

export interface SearchLineProps {
  /** The name of the place that is searched. */
  readonly name: string;
  /** The middle of the map: places near it come first. */
  readonly near: { readonly lat: number; readonly lng: number };
  readonly onPlace: (place: ChosenPlace) => void;
  readonly onLot: (id: string) => void;
  readonly onSentence: (sentence: Sentence) => void;
}

type Option = { readonly kind: "place"; readonly place: Place } | { readonly kind: "sentence" };

export function SearchLine({ name, near, onPlace, onLot, onSentence }: SearchLineProps) {
  const t = text.value;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  // Undefined while nothing is being typed: the line has the name of the place.
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState(-1);
  const places = usePlaces(typed ?? "", near);
  const options: Option[] = typed?.trim()
    ? [...places.map((place) => ({ kind: "place" as const, place })), { kind: "sentence" }]
    : [];
  const end = () => {
    setTyped(undefined);
    setActive(-1);
  };
  const chosen = useRef<Option | "here">("here");
  const action = useAction(async () => {
    const option = chosen.current;
    if (option === "here") onPlace({ ...await readPosition(), name: t.here });
    else if (option.kind === "sentence") {
      const here = position.peek();
      onSentence(await readSentence(typed!.trim(), here ? { ...here, name: t.here } : { ...near, name: "" }));
    } else if (option.place.kind === "lot") onLot(option.place.id);
    else onPlace({ ...option.place, name: placeName(option.place) });
    end();
    input.current?.blur();
  });
  const run = (option: Option | "here") => {
    chosen.current = option;
    void action.run();
  };
  const submit = async () => {
    if (!typed?.trim()) return;
    if (options[active]) return run(options[active]);
    // Enter may come before the suggestions. Without any the text is a sentence.
    const [place] = await readPlaces(typed, near).catch(() => []);
    run(place ? { kind: "place", place } : { kind: "sentence" });
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") end();
    if (step === undefined || options.length === 0) return;
    event.preventDefault();
    // Above the first option is the line itself.
    setActive((active + step + 1 + options.length + 1) % (options.length + 1) - 1);
  };
  return (
    <search class="line">
      <form
        class="line-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Icon name="search" />
        <input
          ref={(element) => {
            input.current = element;
            limited(AiSearchRequest.query).ref(element);
          }}
          type="text"
          role="combobox"
          enterkeyhint="search"
          autocomplete="off"
          spellcheck={false}
          aria-label={t.label}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-options`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 && active < options.length ? `${id}-${active}` : undefined}
          placeholder={t.placeholder}
          value={typed ?? name}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setActive(-1);
          }}
          onKeyDown={move}
        />
        {typed === undefined
          ? (
            <button
              type="button"
              class="icon-button"
              aria-label={t.near}
              title={t.near}
              aria-busy={action.isRunning}
              onClick={() => run("here")}
            >
              <Icon name="locate" />
            </button>
          )
          : (
            <button
              type="button"
              class="icon-button"
              aria-label={t.clear}
              onClick={() => {
                end();
                input.current?.focus();
              }}
            >
              <Icon name="close" />
            </button>
          )}
      </form>
      <ul
        class="line-options"
        id={`${id}-options`}
        role="listbox"
        aria-label={t.suggestions}
        aria-busy={action.isRunning}
        hidden={options.length === 0}
      >
        {options.map((option, index) => (
          <li
            key={option.kind === "place" ? option.place.id : "sentence"}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // The line keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => run(option)}
          >
            {option.kind === "place" ? <PlaceOption place={option.place} /> : (
              <>
                <Icon name="sentence" />
                <span>
                  {t.sentence(typed!.trim())}
                  <small>{t.example}</small>
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
      {action.error !== undefined && <ErrorNote error={action.error} onRetry={() => run(chosen.current)} />}
    </search>
  );
}

function PlaceOption({ place }: { place: Place }) {
  const name = placeName(place);
  const other = name === place.name ? place.name_en : place.name;
  return (
    <>
      <Icon name={iconOf(place.kind)} />
      <span>
        {name}
        <small>{[other, place.area].filter(Boolean).join(" · ")}</small>
      </span>
    </>
  );
}

function iconOf(kind: string): IconName {
  if (kind === "lot") return "lot";
  if (kind === "station") return "station";
  return ["prefecture", "municipality", "town", "district", "interchange"].includes(kind) ? "place" : "landmark";
}

async function readPlaces(q: string, { lat, lng }: SearchLineProps["near"], signal?: AbortSignal): Promise<Place[]> {
  // Two decimals are exact enough, and make responses cacheable.
  const [roundLat, roundLng] = [Number(lat.toFixed(2)), Number(lng.toFixed(2))];
  const query = { q: q.trim().slice(0, 100), lat: roundLat, lng: roundLng, limit: MOST, lang: language.value };
  const { data } = await client.GET("/v1/places", { params: { query }, ...(signal ? { signal } : {}) });
  return data.items;
}

/** The suggestions for what was typed; those before stay until they are there. */
function usePlaces(typed: string, near: SearchLineProps["near"]): Place[] {
  const [places, setPlaces] = useState<Place[]>([]);
  useEffect(() => {
    if (typed.trim() === "") {
      setPlaces([]);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      // Without suggestions the text can still be searched as a sentence.
      readPlaces(typed, near, abort.signal).then(setPlaces, () => abort.signal.aborted || setPlaces([]));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [typed, language.value]);
  return places;
}
