/// <reference lib="dom" />
/** Entries that administrators add, edit and delete by forms of the contract, in a panel beside their list. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { dateTime } from "../../format.ts";
import { newKey } from "../../keys.ts";
import { href, navigate } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";
import { Loaded } from "../../ui/load.tsx";
import { announcement } from "./announcement.ts";
import { Confirm } from "./confirm.tsx";
import { call, type Operation } from "./contract.ts";
import { ChangedNote, type FieldOf } from "./details.tsx";
import { type Entry, ifMatch, useEntry } from "./entry.ts";
import { type Controls, fieldLabel, isField, SchemaForm } from "./schema_form.tsx";
import { SidePanel } from "./side_panel.tsx";
import { rereadLists } from "./table.tsx";

const text = consoleTexts(({ kit }) => kit.resource);

export type Item = Readonly<Record<string, unknown>>;

/** What the console does with the entries of a list. */
export interface Resource {
  /** The address of the list. */
  readonly screen: string;
  /** The placeholders of its path name an entry in the address. */
  readonly read: Operation;
  readonly create?: Operation;
  readonly change?: Operation;
  readonly remove?: Operation;
  /** The values of a new entry that the service takes for omitted fields. */
  readonly start?: object;
  readonly useControls?: () => Controls;
  readonly titleOf: (item: Item) => string;
  /** What else can be done with an entry. */
  readonly acts?: (entry: Entry<Item>) => ComponentChildren;
}

/** The fields that name an entry: `["category_id", "code"]`. */
const keysOf = ({ read }: Resource) => [...read.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

export function addressOf(resource: Resource, item: object): string {
  const values = item as Item;
  return [resource.screen, ...keysOf(resource).map((name) => encodeURIComponent(String(values[name])))].join("/");
}

/** The name of an entry in its list, which opens it. */
export function ResourceLink({ resource, item }: { resource: Resource; item: object }) {
  return <a href={href(addressOf(resource, item))}>{resource.titleOf(item as Item)}</a>;
}

/** The list, with a button for a new entry, and the open entry beside it. */
export function ResourceView({ resource, parts, list }: {
  resource: Resource;
  parts: readonly string[];
  list: ComponentChildren;
}) {
  const [title, setTitle] = useState("");
  const isNew = parts[0] === "new" && parts.length === 1;
  const open = parts.length === 0 ? undefined : parts.join("/");
  return (
    <SidePanel
      open={open}
      back={resource.screen}
      title={isNew ? text.value.newEntry : title}
      list={
        <>
          {resource.create && (
            <p>
              <a class="button" href={href(`${resource.screen}/new`)}>{text.value.create}</a>
            </p>
          )}
          {list}
        </>
      }
    >
      {isNew && resource.create
        ? <NewEntry resource={resource} operation={resource.create} />
        : <OpenEntry resource={resource} parts={parts} setTitle={setTitle} />}
    </SidePanel>
  );
}

export function NewEntry({ resource, operation }: { resource: Resource; operation: Operation }) {
  // One key for a request: a second submit after a lost connection adds no second entry.
  const [keys] = useState(() => new Map<string, string>());
  const controls = resource.useControls?.() ?? {};
  return (
    <SchemaForm
      operation={operation}
      start={resource.start ?? {}}
      submit={text.value.create}
      controls={controls}
      onSubmit={async (body) => {
        const request = JSON.stringify(body);
        const key = keys.get(request) ?? newKey();
        keys.set(request, key);
        const { data } = await call<Item>(operation, { body, header: { "Idempotency-Key": key } });
        announcement.value = text.value.created;
        rereadLists();
        navigate(addressOf(resource, data));
      }}
    />
  );
}

function OpenEntry({ resource, parts, setTitle }: {
  resource: Resource;
  parts: readonly string[];
  setTitle: (title: string) => void;
}) {
  const names = keysOf(resource);
  const path = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(parts[index] ?? "")]));
  const entry = useEntry<Item>(async (signal) => {
    const read = await call<Item>(resource.read, { path, signal });
    setTitle(resource.titleOf(read.data));
    return read;
  }, [parts.join("/")]);
  return (
    <Loaded load={entry}>
      {({ data }) => (
        <>
          {resource.change && <EditEntry resource={resource} operation={resource.change} entry={entry} path={path} />}
          {resource.acts?.(entry)}
          {resource.remove && <RemoveEntry resource={resource} operation={resource.remove} entry={entry} path={path} />}
          {typeof data["updated_at"] === "string" && <p class="small">{dateTime(data["updated_at"])}</p>}
        </>
      )}
    </Loaded>
  );
}

interface EntryProps {
  readonly resource: Pick<Resource, "screen">;
  readonly operation: Operation;
  readonly entry: Entry<Item>;
  readonly path: Readonly<Record<string, string>>;
}

interface EditProps extends Omit<EntryProps, "resource"> {
  readonly resource: Pick<Resource, "useControls">;
  /** All fields are sent, not only those that differ. */
  readonly isWhole?: boolean;
  /** The request of what was entered. */
  readonly toBody?: (body: Record<string, unknown>) => Record<string, unknown>;
}

/** The form of an entry. What somebody else changed meanwhile is shown, and stays unless it is saved over. */
export function EditEntry({ resource, operation, entry, path, isWhole = false, toBody = (body) => body }: EditProps) {
  const t = text.value;
  const holder = useRef<HTMLDivElement>(null);
  const { data, etag } = entry.data!;
  const controls = resource.useControls?.() ?? {};
  // The form begins again with what was saved, and keeps what is entered when somebody else saved.
  const [version, setVersion] = useState(etag);
  const isSaved = useRef(false);
  useEffect(() => {
    if (!isSaved.current || version === etag) return;
    isSaved.current = false;
    setVersion(etag);
    holder.current?.querySelector<HTMLElement>("button[type=submit]")?.focus();
  }, [etag]);
  return (
    <div ref={holder}>
      {entry.before && (
        <ChangedNote before={entry.before} now={data} fields={fieldsOf(data)}>
          <div class="row">
            <button type="button" onClick={() => holder.current!.querySelector("form")!.requestSubmit()}>
              {t.mine}
            </button>
            <button
              type="button"
              onClick={() => {
                setVersion(etag);
                entry.accept();
              }}
            >
              {t.newer}
            </button>
          </div>
        </ChangedNote>
      )}
      <SchemaForm
        key={version}
        operation={operation}
        start={data}
        isUpdate={!isWhole}
        submit={t.save}
        controls={controls}
        onSubmit={async (values) => {
          const body = toBody(values);
          const outcome = await entry.change((seen) => call(operation, { path, body, header: ifMatch(seen) }));
          if (outcome !== "done") return;
          isSaved.current = true;
          announcement.value = t.saved;
          rereadLists();
          entry.reload();
        }}
      />
    </div>
  );
}

function fieldsOf(item: Item): FieldOf<Item>[] {
  return Object.keys(item).filter(isField).map((name) => ({
    label: fieldLabel(name),
    show: (item) => shown(item[name]),
  }));
}

const shown = (value: unknown) =>
  value === null || value === undefined ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value);

function RemoveEntry({ resource, operation, entry, path }: EntryProps) {
  const t = text.value;
  return (
    <Confirm
      name={t.remove}
      ask={t.removeAsk}
      really={t.removeReally}
      perform={async () => {
        const outcome = await entry.change((seen) => call(operation, { path, header: ifMatch(seen) }));
        if (outcome !== "done") return;
        announcement.value = t.removed;
        rereadLists();
        navigate(resource.screen);
      }}
    />
  );
}
