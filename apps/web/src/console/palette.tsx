/// <reference lib="dom" />
/** Finding anything: screens, what can be begun, people and lots; and the list of the keys. */
import { useState } from "preact/hooks";
import { href, navigate } from "../router.ts";
import { consoleTexts } from "../texts/console.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error_note.tsx";
import { useLoad } from "../ui/load.tsx";
import { type Area, client, may } from "./kit/access.ts";
import { areLettersOn, useCommandK, useLetters } from "./kit/shortcuts.ts";
import { names, SCREENS } from "./screens.ts";

const text = consoleTexts(({ palette }) => palette);

interface Found {
  readonly kind: keyof typeof text.value.kinds;
  readonly name: string;
  readonly detail?: string | null;
  readonly path: string;
}

/** What can be begun from anywhere. */
const BEGINNINGS: readonly {
  readonly name: keyof typeof text.value.begin;
  readonly area: Area;
  readonly path: string;
}[] = [
  { name: "lot", area: "lots", path: "/console/parking-lots/new" },
  { name: "import", area: "lots", path: "/console/parking-lots/import" },
  { name: "notification", area: "notifications", path: "/console/user-notifications/new" },
  { name: "colleague", area: "admins", path: "/console/admins/new" },
  { name: "article", area: "content", path: "/console/reference/articles/new" },
  { name: "badge", area: "rewards", path: "/console/reference/badges/new" },
];

const MOST = 5;
const PAUSE_MS = 250;

/** Screens and beginnings whose name has the words. */
function known(words: string): Found[] {
  const screens = SCREENS.filter(({ areas }) => areas === undefined || areas.some(may)).map(({ path }) => (
    { kind: "screen", name: names.value[path], path: `/console/${path}` } as const
  ));
  const begin = BEGINNINGS.filter(({ area }) => may(area)).map(({ name, path }) => (
    { kind: "begin", name: text.value.begin[name], path } as const
  ));
  const wanted = words.toLowerCase();
  return [...begin, ...screens].filter(({ name }) => name.toLowerCase().includes(wanted));
}

/** Lots and people, as far as the administrator may read them. */
async function search(words: string, signal: AbortSignal): Promise<Found[]> {
  if (words.length < 2) return [];
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  if (signal.aborted) return [];
  const lots = may("lots")
    ? client.GET("/v1/admin/parking-lots", { params: { query: { q: words, limit: MOST } }, signal }).then(({ data }) =>
      data.items.map(({ id, name, address }): Found => ({
        kind: "lot",
        name,
        detail: address,
        path: `/console/parking-lots/${id}`,
      }))
    )
    : [];
  const field = words.includes("@") ? "email" : "display_name";
  const people = may("users")
    ? client.GET("/v1/admin/users", { params: { query: { [field]: words, limit: MOST } }, signal }).then(({ data }) =>
      data.items.map(({ id, display_name, email }): Found => ({
        kind: "person",
        name: display_name ?? email ?? id,
        detail: email,
        path: `/console/users/${id}`,
      }))
    )
    : [];
  return (await Promise.all([lots, people])).flat();
}

/** The button in the navigation, and the keys that open the same. */
export function Palette() {
  const [open, setOpen] = useState<"find" | "keys">();
  const t = text.value;
  useCommandK(() => setOpen("find"));
  useLetters({ "?": () => setOpen("keys"), "/": () => setOpen("find") });
  return (
    <>
      <button type="button" class="console-find" onClick={() => setOpen("find")}>
        {t.find} <kbd>Ctrl K</kbd>
      </button>
      {open === "find" && (
        <Dialog title={t.find} onClose={() => setOpen(undefined)}>
          <Finder close={() => setOpen(undefined)} />
        </Dialog>
      )}
      {open === "keys" && (
        <Dialog title={t.keys} onClose={() => setOpen(undefined)}>
          <Keys />
        </Dialog>
      )}
    </>
  );
}

function Finder({ close }: { close: () => void }) {
  const t = text.value;
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const load = useLoad((signal) => search(words.trim(), signal), [words.trim()]);
  const found = [...known(words.trim()), ...load.data ?? []];
  const at = Math.min(chosen, found.length - 1);
  const go = ({ path }: Found) => {
    close();
    navigate(path);
  };
  return (
    <form
      class="console-finder"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const one = found[at];
        if (one) go(one);
      }}
    >
      <input
        autofocus
        type="search"
        aria-label={t.find}
        placeholder={t.hint}
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          setChosen(Math.max(0, Math.min(found.length - 1, at + step)));
        }}
      />
      {load.error !== undefined && <ErrorNote error={load.error} />}
      <ul class="console-found">
        {found.map((one, index) => (
          <li key={one.path}>
            <a href={href(one.path)} aria-current={index === at ? "true" : undefined} onClick={close}>
              <span class="small">{t.kinds[one.kind]}</span> {one.name}
              {one.detail && <span class="small">{one.detail}</span>}
            </a>
          </li>
        ))}
      </ul>
      <p role="status" class="small">{found.length === 0 && !load.isLoading ? t.nothing : ""}</p>
    </form>
  );
}

function Keys() {
  const t = text.value;
  return (
    <>
      <dl class="console-details">
        {t.list.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="row">
        <input
          type="checkbox"
          checked={areLettersOn.value}
          onChange={(event) => areLettersOn.value = event.currentTarget.checked}
        />
        {t.letters}
      </label>
    </>
  );
}
