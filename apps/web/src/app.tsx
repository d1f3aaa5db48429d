/** The frame of every page: header and tabs, the page that the address names, and the sign-in dialog. */
import { useEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { followHeading } from "./frame/heading.ts";
import { Notes } from "./frame/notes.tsx";
import { MeTools } from "./frame/tools.tsx";
import { Top } from "./frame/top.tsx";
import type { PageProps } from "./page.ts";
import { place } from "./router.ts";
import { isRecovering, linkResult, user } from "./service.ts";
import { restoreScroll } from "./scroll.ts";
import { isSignInOpen } from "./sign_in.ts";
import { type Lazy, lazy } from "./ui/lazy.tsx";
import { LinkNote } from "./ui/link_note.tsx";
import { Celebration } from "./pages/rewards/celebration.tsx";
import { SignInDialog } from "./pages/account/sign_in.tsx";
import { pageTexts } from "./texts/pages.ts";

const text = pageTexts(({ app }) => app);

/** The pages by the first part of the path. Each is loaded when it is first opened. */
const PAGES: Readonly<Record<string, Lazy<PageProps>>> = {
  "": lazy(() => import("./pages/map/map_page.tsx"), ({ MapPage }) => MapPage),
  lots: lazy(() => import("./pages/lot/lot_page.tsx"), ({ LotPage }) => LotPage),
  session: lazy(() => import("./pages/session/session_page.tsx"), ({ SessionPage }) => SessionPage),
  inbox: lazy(() => import("./pages/inbox/inbox_page.tsx"), ({ InboxPage }) => InboxPage),
  rewards: lazy(() => import("./pages/rewards/rewards_page.tsx"), ({ RewardsPage }) => RewardsPage),
  account: lazy(() => import("./pages/account/account_page.tsx"), ({ AccountPage }) => AccountPage),
  link: lazy(() => import("./pages/account/link_page.tsx"), ({ LinkPage }) => LinkPage),
  console: lazy(() => import("./console/console_page.tsx"), ({ ConsolePage }) => ConsolePage),
};

export function App() {
  const main = useRef<HTMLElement>(null);
  useEffect(() => followHeading(main.current!), []);
  useEffect(() => followPath(main.current!), []);
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>{text.value.skip}</a>
      <Top />
      <main id="content" tabIndex={-1} ref={main}>
        <Notes />
        {linkResult.value && <LinkNote result={linkResult.value} />}
        <CurrentPage />
        <MeTools />
      </main>
      <Celebration />
      {(isSignInOpen.value || isRecovering.value) && <SignInDialog />}
    </>
  );
}

/**
 * Another page begins at its top, also for a keyboard or a screen reader; a page may then move the focus further. Who goes
 * back comes to where the page was left.
 */
function followPath(main: HTMLElement): () => void {
  let path = place.peek().path;
  return effect(() => {
    if (place.value.path === path) return;
    path = place.value.path;
    main.focus({ preventScroll: true });
    if (!restoreScroll()) scrollTo(0, 0);
  });
}

/** The fragment of the address is the page's, so the link does not use it. */
function skip(event: Event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function CurrentPage() {
  const [name = "", ...parts] = place.value.path.slice(1).split("/");
  const Page = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
  if (Page === undefined) return <h1>{text.value.nothing}</h1>;
  // The stored session decides what pages show: they wait for it.
  if (user.value === undefined) return <p class="notice" role="status">{text.value.loading}</p>;
  // Another user is another page: nothing of the one before stays. A guest who signs in keeps what was begun.
  return <Page key={turnOf(user.value?.id)} parts={parts} />;
}

let lastUser: string | undefined;
let turn = 0;

/** Which user after another this one is; a guest and the user whom the guest becomes are one. */
function turnOf(id: string | undefined): number {
  if (lastUser !== undefined && lastUser !== id) turn++;
  lastUser = id;
  return turn;
}
