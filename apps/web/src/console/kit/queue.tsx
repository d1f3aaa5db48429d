/// <reference lib="dom" />
/** A queue: the list of entries to work on, and the open one beside it. After a decision the next entry is open. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ListItem, ListPath } from "parking-lot-client";
import { href, navigate, place } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";
import { PagesEnd } from "../../ui/paged_list.tsx";
import { announcement } from "./announcement.ts";
import { Filters } from "./filters.tsx";
import { SavedViews } from "./saved_views.tsx";
import { useLetters } from "./shortcuts.ts";
import { type ListOptions, useList } from "./table.tsx";

const text = consoleTexts(({ kit }) => kit.queue);

type Item = { readonly id: string };
type QueuePath = { [P in ListPath]: ListItem<P> extends Item ? P : never }[ListPath];
type Entry<P extends QueuePath> = ListItem<P> & Item;

export interface QueueProps<P extends QueuePath> extends ListOptions<P> {
  /** The path of the screen, for example `/console/reviews`. */
  readonly screen: string;
  readonly id: string | undefined;
  readonly empty: string;
  /** An entry in the list. */
  readonly line: (item: ListItem<P>) => ComponentChildren;
  /** The open entry. It calls `decided` with a sentence when it leaves the queue. */
  readonly detail: (id: string, decided: (sentence: string) => void, reload: () => void) => ComponentChildren;
  /** What can be done with several entries at once. `done` reads the list again. */
  readonly several?: (items: readonly ListItem<P>[], done: (sentence: string) => void) => ComponentChildren;
}

export function Queue<P extends QueuePath>(props: QueueProps<P>) {
  const { screen, id, empty, line, detail, several, ...options } = props;
  const list = useList(options);
  const items = list.items as readonly Entry<P>[];
  const section = useRef<HTMLElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const t = text.value;
  useFocusOnOpen(id, section, holder);
  const query = () => Object.fromEntries(place.value.query);
  // The list may still have entries that were just decided: keys are faster than a read.
  const gone = useRef(new Set<string>());
  const decided = (sentence: string) => {
    const waiting = items.filter((item) => item.id === id || !gone.current.has(item.id));
    const index = waiting.findIndex((item) => item.id === id);
    const next = waiting[index + 1] ?? waiting[index - 1];
    if (id !== undefined) gone.current.add(id);
    const isLast = next === undefined && list.isComplete;
    announcement.value = [sentence, next ? t.next : isLast ? t.last : ""].join(" ");
    list.reload();
    navigate(next ? `${screen}/${next.id}` : screen, query());
    setReadBefore(next === undefined && !isLast ? items : undefined);
  };
  // Decisions were faster than the list: the next entry is opened as soon as it has been read.
  const [readBefore, setReadBefore] = useState<readonly Item[]>();
  useEffect(() => {
    if (readBefore === undefined || list.isLoading || list.items === readBefore) return;
    setReadBefore(undefined);
    const next = items.find((item) => !gone.current.has(item.id));
    announcement.value = next ? t.next : t.last;
    if (next) navigate(`${screen}/${next.id}`, query());
  }, [readBefore, list.isLoading, list.items]);
  const openAt = (index: number) => {
    const item = items[index];
    if (item) navigate(`${screen}/${item.id}`, query());
  };
  useLetters({
    j: () => openAt(items.findIndex((item) => item.id === id) + 1),
    k: () => openAt(items.findIndex((item) => item.id === id) - 1),
    e: () => section.current?.querySelector<HTMLButtonElement>("button.primary")?.click(),
  });
  return (
    <div class={`console-queue${id === undefined ? "" : " is-open"}`}>
      <div class="console-queue-list" ref={holder} tabIndex={-1} role="region" aria-label={t.queue}>
        <div class="console-bar">
          <Filters filters={options.filters ?? []} />
          <SavedViews list={options.path} names={(options.filters ?? []).map(({ name }) => name)} />
          <button type="button" onClick={list.reload}>{t.reload}</button>
        </div>
        {several && items.length > 0 && (
          <QueueSelection
            items={items}
            selected={selected}
            onSelect={setSelected}
            several={several}
            onDone={list.reload}
          />
        )}
        <QueueLines
          items={items}
          current={id}
          isLoading={list.isLoading}
          addressOf={(id) => href(`${screen}/${id}`, query())}
          line={line}
          {...(several ? { selected, onSelect: setSelected } : {})}
        />
        <PagesEnd pages={list} empty={empty} />
      </div>
      <section class="console-queue-open" ref={section} tabIndex={-1} aria-label={t.open}>
        {id === undefined ? <p class="notice">{t.choose}</p> : (
          <>
            <p class="console-back">
              <a href={href(screen, query())}>{t.back}</a>
            </p>
            <div key={id} data-entry={id}>{detail(id, decided, list.reload)}</div>
          </>
        )}
      </section>
    </div>
  );
}

/** The focus goes to an entry that opens, and back to the list when none is open any more. */
function useFocusOnOpen(
  id: string | undefined,
  section: RefObject<HTMLElement | null>,
  holder: RefObject<HTMLElement | null>,
): void {
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (id !== undefined) section.current?.focus();
    else if (before.current !== undefined) holder.current?.focus();
    before.current = id;
  }, [id]);
}

/** All entries as the selection, and what can be done with the selected ones. */
function QueueSelection<Entry extends Item>({ items, selected, onSelect, several, onDone }: {
  items: readonly Entry[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  several: (items: readonly Entry[], done: (sentence: string) => void) => ComponentChildren;
  onDone: () => void;
}) {
  const chosen = items.filter(({ id }) => selected.has(id));
  return (
    <div class="console-bar">
      <label class="row">
        <input
          type="checkbox"
          checked={chosen.length === items.length}
          onChange={(event) => onSelect(new Set(event.currentTarget.checked ? items.map(({ id }) => id) : []))}
        />
        {text.value.selectAll}
      </label>
      {chosen.length > 0 && several(chosen, (sentence) => {
        announcement.value = sentence;
        onSelect(new Set());
        onDone();
      })}
    </div>
  );
}

/** The entries, with a checkbox each if several can be selected. */
function QueueLines<Entry extends Item>({ items, current, isLoading, addressOf, line, selected, onSelect }: {
  items: readonly Entry[];
  current: string | undefined;
  isLoading: boolean;
  addressOf: (id: string) => string;
  line: (item: Entry) => ComponentChildren;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
}) {
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect?.(next);
  };
  return (
    <ul class="console-lines" aria-busy={isLoading} onKeyDown={moveFocus}>
      {items.map((item) => (
        <li key={item.id}>
          {selected && (
            <input
              type="checkbox"
              aria-labelledby={`line-${item.id}`}
              checked={selected.has(item.id)}
              onChange={() => toggle(item.id)}
            />
          )}
          <a
            id={`line-${item.id}`}
            href={addressOf(item.id)}
            aria-current={item.id === current ? "true" : undefined}
          >
            {line(item)}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The arrow keys move the focus between the entries. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("li > a")];
  const at = links.findIndex((link) => link.parentElement?.contains(document.activeElement));
  const next = links[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
