/** The frame of every page: header, navigation, the page that the address names, and the sign-in dialog. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { effect } from "@preact/signals";
import { inbox, isAppUser } from "./following.ts";
import { chooseLanguage, type Language, language, LANGUAGES } from "./language.ts";
import type { PageProps } from "./page.ts";
import { href, place } from "./router.ts";
import { isRecovering, linkResult, supabase, user } from "./service.ts";
import { askToSignIn, isSignInOpen } from "./sign_in.ts";
import { ErrorNote } from "./ui/error_note.tsx";
import { LinkNote } from "./ui/link_note.tsx";
import { Celebration } from "./pages/rewards/celebration.tsx";
import { SignInDialog } from "./pages/account/sign_in.tsx";
import { pageTexts } from "./texts/pages.ts";

const text = pageTexts(({ app }) => app);

type Page = ComponentType<PageProps>;

/** The pages by the first part of the path. Each is loaded when it is first opened. */
const PAGES: Readonly<Record<string, () => Promise<Page>>> = {
  "": () => import("./pages/map/map_page.tsx").then(({ MapPage }) => MapPage),
  lots: () => import("./pages/lot/lot_page.tsx").then(({ LotPage }) => LotPage),
  session: () => import("./pages/session/session_page.tsx").then(({ SessionPage }) => SessionPage),
  inbox: () => import("./pages/inbox/inbox_page.tsx").then(({ InboxPage }) => InboxPage),
  rewards: () => import("./pages/rewards/rewards_page.tsx").then(({ RewardsPage }) => RewardsPage),
  account: () => import("./pages/account/account_page.tsx").then(({ AccountPage }) => AccountPage),
  link: () => import("./pages/account/link_page.tsx").then(({ LinkPage }) => LinkPage),
  console: () => import("./console/console_page.tsx").then(({ ConsolePage }) => ConsolePage),
};

type Name = keyof typeof text.value.names;
/** The navigation: for all, for app users or for administrators. */
const LINKS: readonly { readonly path: Name; readonly for: "all" | "user" | "administrator" }[] = [
  { path: "/", for: "all" },
  { path: "/session", for: "user" },
  { path: "/inbox", for: "user" },
  { path: "/rewards", for: "user" },
  { path: "/account", for: "user" },
  { path: "/console", for: "administrator" },
];

function isOffered(link: (typeof LINKS)[number]): boolean {
  // The service decides who is an active administrator; this only hides the link from all others.
  return link.for === "all" || (link.for === "user" ? isAppUser.value : Boolean(user.value?.app_metadata["admin"]));
}

export function App() {
  const t = text.value;
  const main = useRef<HTMLElement>(null);
  useEffect(() => followHeading(main.current!), []);
  useEffect(() => followPath(main.current!), []);
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>{t.skip}</a>
      <header class="top">
        <a class="brand" href={href("/")}>{t.title}</a>
        <nav aria-label={t.pages}>
          <ul>
            {LINKS.filter(isOffered).map(({ path }) => (
              <li key={path}>
                <a href={href(path)} aria-current={isCurrent(path) ? "page" : undefined}>
                  {t.names[path]}
                  {path === "/inbox" && <UnreadCount />}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="tools">
          <LanguageSwitch />
          {user.value
            ? <button type="button" class="quiet" onClick={() => supabase.auth.signOut()}>{t.signOut}</button>
            : <button type="button" class="quiet sign-in" onClick={() => askToSignIn()}>{t.signIn}</button>}
        </div>
      </header>
      <main id="content" tabIndex={-1} ref={main}>
        {linkResult.value && <LinkNote result={linkResult.value} />}
        <CurrentPage />
      </main>
      <Celebration />
      {(isSignInOpen.value || isRecovering.value) && <SignInDialog />}
    </>
  );
}

/** The document has the name of the page: its heading, which can change after a read. */
function followHeading(main: HTMLElement): () => void {
  const name = () => {
    const heading = main.querySelector("h1")?.textContent;
    const title = [heading, text.peek().title].filter(Boolean).join(" – ");
    if (document.title !== title) document.title = title;
  };
  const observer = new MutationObserver(name);
  observer.observe(main, { childList: true, subtree: true, characterData: true });
  name();
  return () => observer.disconnect();
}

/** Another page begins at its top, also for a keyboard or a screen reader. A page may then move the focus further. */
function followPath(main: HTMLElement): () => void {
  let path = place.peek().path;
  return effect(() => {
    if (place.value.path === path) return;
    path = place.value.path;
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}

function UnreadCount() {
  const count = inbox.value.state?.unread_count ?? 0;
  if (count === 0) return null;
  return (
    <span class="count">
      {count}
      <span class="visually-hidden">{` ${text.value.unread}`}</span>
    </span>
  );
}

/** The fragment of the address is the page's, so the link does not use it. */
function skip(event: Event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function isCurrent(path: string): boolean {
  const first = (address: string) => address.split("/")[1] ?? "";
  return first(path) === first(place.value.path);
}

function LanguageSwitch() {
  // Without its texts the other language cannot be shown: the pages stay as they are.
  const choose = async (select: HTMLSelectElement) => {
    try {
      await chooseLanguage(select.value as Language);
    } catch (error) {
      console.warn("The texts of the language could not be loaded.", error);
      select.value = language.value;
    }
  };
  return (
    <select
      aria-label={text.value.language}
      value={language.value}
      onChange={(event) => void choose(event.currentTarget)}
    >
      {Object.entries(LANGUAGES).map(([code, name]) => <option key={code} value={code} lang={code}>{name}</option>)}
    </select>
  );
}

type Loaded = { readonly name: string; readonly page: Page } | { readonly name: string; readonly error: unknown };

function CurrentPage() {
  const [name = "", ...parts] = place.value.path.slice(1).split("/");
  const load = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    load?.().then((page) => setLoaded({ name, page })).catch((error) => setLoaded({ name, error }));
  }, [name]);
  if (load === undefined) return <h1>{text.value.nothing}</h1>;
  // The stored session decides what pages show: they wait for it.
  if (loaded?.name !== name || user.value === undefined) {
    return <p class="notice" role="status">{text.value.loading}</p>;
  }
  if ("error" in loaded) return <ErrorNote error={loaded.error} />;
  // Another user is another page: nothing of the one before stays.
  return <loaded.page key={user.value?.id ?? ""} parts={parts} />;
}
