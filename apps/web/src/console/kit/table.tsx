/** The list of the console: any list of the API as a table, with filters and more items on demand. */
import type { ComponentChildren } from "preact";
import type { ListItem, ListPath } from "parking-lot-client";
import { consoleTexts } from "../../texts/console.ts";
import { type Pages, PagesEnd, usePages } from "../../ui/paged_list.tsx";
import { client } from "./access.ts";
import { type Filter, Filters, filterValues } from "./filters.tsx";

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

/** Reads a list of the API with the filters of the address. */
export function useList<P extends ListPath>({ path, of = {}, query = {}, filters = [] }: ListOptions<P>) {
  const all = { ...query, ...filterValues(filters), limit: 20 };
  return usePages<ListItem<P>>(
    (signal) => {
      // The types of a generic path are not known here; filters name the parameters of its query.
      const init = { params: { path: of, query: all }, signal } as never;
      return client.pages(path, ...[init] as never);
    },
    [path, JSON.stringify(of), JSON.stringify(all)],
  );
}

export interface TableProps<P extends ListPath> extends ListOptions<P> {
  readonly columns: readonly Column<ListItem<P>>[];
  readonly empty?: string;
  readonly caption?: string;
}

export function Table<P extends ListPath>({ columns, empty = text.value.empty, caption, ...options }: TableProps<P>) {
  const list = useList(options);
  return (
    <>
      <div class="console-bar">
        <Filters filters={options.filters ?? []} />
        <button type="button" onClick={list.reload}>{text.value.reload}</button>
      </div>
      <div aria-busy={list.isLoading}>
        {list.items.length > 0 && (
          <Rows<ListItem<P>>
            caption={caption}
            columns={columns.map((column) => ({ ...column, cell: (item) => column.cell(item, list) }))}
            items={list.items}
          />
        )}
        <PagesEnd pages={list} empty={empty} />
      </div>
    </>
  );
}

interface RowsColumn<Item> extends Omit<Column<Item>, "cell"> {
  readonly cell: (item: Item) => ComponentChildren;
}

/** The table itself. On a narrow screen each row is a card; the roles keep it a table for screen readers. */
export function Rows<Item>(
  { columns, items, caption }: {
    columns: readonly RowsColumn<Item>[];
    items: readonly Item[];
    caption?: string | undefined;
  },
) {
  return (
    <table class="console-table" role="table">
      {caption !== undefined && <caption>{caption}</caption>}
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, isNumber }) => (
            <th key={head} role="columnheader" scope="col" class={isNumber ? "number" : undefined}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item, index) => (
          <tr key={(item as { id?: unknown }).id ?? index} role="row">
            {columns.map(({ head, cell, isNumber }) => (
              <td key={head} role="cell" data-head={head} class={isNumber ? "number" : undefined}>{cell(item)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
