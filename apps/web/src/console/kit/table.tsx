/// <reference lib="dom" />
/** The list of the console: any list of the API as a table, with filters and more items on demand. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ListItem, ListPath } from "parking-lot-client";
import { consoleTexts } from "../../texts/console.ts";
import { type Pages, PagesEnd, usePages } from "../../ui/paged_list.tsx";
import { addStyle } from "../../ui/style.ts";
import { client } from "./access.ts";
import { type BulkAct, BulkActs } from "./bulk_acts.tsx";
import { ColumnChoice, shownColumns } from "./column_choice.tsx";
import { csvOf, download } from "./download.ts";
import { type Filter, Filters, filterValues } from "./filters.tsx";
import style from "./lists.css" with { type: "text" };
import { SavedViews } from "./saved_views.tsx";

addStyle(style);

const text = consoleTexts(({ kit }) => kit.table);

export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item, list: Pages<Item>) => ComponentChildren;
  readonly isNumber?: boolean;
}

export interface ListOptions<P extends ListPath> {
  readonly path: P;
  /** The values of the placeholders of the path. */
  readonly of?: Readonly<Record<string, string>>;
  /** Values of the query that the administrator does not choose. */
  readonly query?: Readonly<Record<string, string>>;
  readonly filters?: readonly Filter[];
}

/** Counts the changes of entries: lists that are shown are read again. */
const changes = signal(0);
export const rereadLists = () => void changes.value++;

/** Reads a list of the API with the filters of the address. */
export function useList<P extends ListPath>({ path, of = {}, query = {}, filters = [] }: ListOptions<P>) {
  const all = { ...query, ...filterValues(filters), limit: 20 };
  return usePages<ListItem<P>>(
    (signal) => {
      // The types of a generic path are not known here; filters name the parameters of its query.
      const init = { params: { path: of, query: all }, signal } as never;
      return client.pages(path, ...[init] as never);
    },
    [path, JSON.stringify(of), JSON.stringify(all), changes.value],
  );
}

export interface TableProps<P extends ListPath> extends ListOptions<P> {
  readonly columns: readonly Column<ListItem<P>>[];
  readonly empty?: string;
  readonly caption?: string;
  /** What can be done with several rows: each has a checkbox then. */
  readonly several?: Several<ListItem<P>> | undefined;
}

interface Several<Item> {
  readonly idOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  readonly acts: readonly BulkAct<Item>[];
}

export function Table<P extends ListPath>(
  { columns, empty = text.value.empty, caption, several, ...options }: TableProps<P>,
) {
  const list = useList(options);
  const holder = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { path, filters = [] } = options;
  return (
    <>
      <div class="console-bar">
        <Filters filters={filters} />
        <SavedViews list={path} names={filters.map(({ name }) => name)} />
        <ColumnChoice list={path} heads={columns.map(({ head }) => head)} />
        <button type="button" onClick={list.reload}>{text.value.reload}</button>
        {list.items.length > 0 && (
          <button
            type="button"
            class="quiet"
            onClick={() => downloadTable(holder.current!, options.path)}
          >
            {text.value.csv}
          </button>
        )}
      </div>
      {several && (
        <BulkActs
          {...several}
          entries={list.items.filter((item) => chosen.has(several.idOf(item)))}
          onClear={() => setChosen(new Set())}
          onDone={(done) => {
            const ids = new Set(done.map(several.idOf));
            setChosen(new Set([...chosen].filter((id) => !ids.has(id))));
            rereadLists();
          }}
        />
      )}
      <div aria-busy={list.isLoading} ref={holder}>
        {list.items.length > 0 && (
          <Rows<ListItem<P>>
            caption={caption}
            columns={shownColumns(path, columns).map((column) => ({
              ...column,
              cell: (item) => column.cell(item, list),
            }))}
            items={list.items}
            {...(several ? { choice: { ...several, chosen, onChoose: setChosen } } : {})}
          />
        )}
        <PagesEnd pages={list} empty={empty} />
      </div>
    </>
  );
}

/** What is seen as CSV: the rows that were read, in the words of the table. */
function downloadTable(holder: HTMLElement, path: string): void {
  const rows = [...holder.querySelectorAll("tr")].map((row) =>
    [...row.cells].filter((cell) => !cell.matches(".console-pick")).map((cell) => cell.textContent.trim())
  );
  download(`${path.split("/").at(-1)}.csv`, "text/csv", csvOf(rows));
}

/** The rows that are chosen. */
interface RowChoice<Item> extends Pick<Several<Item>, "idOf" | "nameOf"> {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface RowsColumn<Item> extends Omit<Column<Item>, "cell"> {
  readonly cell: (item: Item) => ComponentChildren;
}

/** The table itself. On a narrow screen each row is a card; the roles keep it a table for screen readers. */
export function Rows<Item>(
  { columns, items, caption, choice }: {
    columns: readonly RowsColumn<Item>[];
    items: readonly Item[];
    caption?: string | undefined;
    choice?: RowChoice<Item>;
  },
) {
  const t = text.value;
  const all = choice && items.map(choice.idOf);
  return (
    <div class="console-rows">
      <table class="console-table" role="table">
        {caption !== undefined && <caption>{caption}</caption>}
        <thead role="rowgroup">
          <tr role="row">
            {choice && all && (
              <th role="columnheader" class="console-pick">
                <input
                  type="checkbox"
                  aria-label={t.chooseAll}
                  checked={all.every((id) => choice.chosen.has(id))}
                  onChange={({ currentTarget: { checked } }) => choice.onChoose(new Set(checked ? all : []))}
                />
              </th>
            )}
            {columns.map(({ head, isNumber }) => (
              <th key={head} role="columnheader" scope="col" class={isNumber ? "number" : undefined}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {items.map((item, index) => (
            <tr key={(item as { id?: unknown }).id ?? index} role="row">
              {choice && (
                <td role="cell" class="console-pick">
                  <input
                    type="checkbox"
                    aria-label={t.choose(choice.nameOf(item))}
                    checked={choice.chosen.has(choice.idOf(item))}
                    onChange={() => choice.onChoose(toggled(choice.chosen, choice.idOf(item)))}
                  />
                </td>
              )}
              {columns.map(({ head, cell, isNumber }) => (
                <td key={head} role="cell" data-head={head} class={isNumber ? "number" : undefined}>{cell(item)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
