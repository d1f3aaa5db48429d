/** The four places of the application: at the bottom of a phone, in the header of a wide screen. */
import { effect } from "@preact/signals";
import { inbox, isAppUser, sessions } from "../following.ts";
import { href, place } from "../router.ts";
import { user } from "../service.ts";
import { pageTexts } from "../texts/pages.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const text = pageTexts(({ app }) => app);

interface Tab {
  readonly path: "/" | "/session" | "/inbox" | "/account";
  readonly icon: IconName;
  /** Paths of other pages that belong to it, by their first part. */
  readonly also?: readonly string[];
  /** Not for an administrator who is no app user. */
  readonly isPersonal?: boolean;
}

const TABS: readonly Tab[] = [
  { path: "/", icon: "find", also: ["lots"] },
  { path: "/session", icon: "parked", isPersonal: true },
  { path: "/inbox", icon: "inbox", isPersonal: true },
  { path: "/account", icon: "me", also: ["rewards"] },
];

export function TabBar() {
  const t = text.value;
  const isOffered = ({ isPersonal = false }: Tab) => !isPersonal || !user.value || isAppUser.value;
  return (
    <nav class="tabs" aria-label={t.pages}>
      <ul>
        {TABS.filter(isOffered).map((tab) => (
          <li key={tab.path}>
            <a href={addressOf(tab)} aria-current={isCurrent(tab) ? "page" : undefined}>
              <Icon name={tab.icon} />
              <span>{t.names[tab.path]}</span>
              {tab.path === "/inbox" && <UnreadCount />}
              {tab.path === "/session" && <RunningDot />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The address of the newest search: who looked at a lot and goes back to the map finds it. */
let newestSearch = href("/");
effect(() => {
  const { path, query } = place.value;
  if (path === "/") newestSearch = href("/", Object.fromEntries(query));
});

/** The address of a tab; of the first one with the newest search. */
export function addressOf({ path }: Pick<Tab, "path">): string {
  return path === "/" ? newestSearch : href(path);
}

function isCurrent({ path, also = [] }: Tab): boolean {
  const first = place.value.path.split("/")[1] ?? "";
  return first === path.slice(1) || also.includes(first);
}

function UnreadCount() {
  const count = inbox.value.state?.unread_count ?? 0;
  if (count === 0) return null;
  return (
    <span class="tabs-count">
      {count}
      <span class="visually-hidden">{` ${text.value.unread}`}</span>
    </span>
  );
}

/** A session runs. */
function RunningDot() {
  if (!sessions.value.state?.current) return null;
  return (
    <span class="tabs-dot">
      <span class="visually-hidden">{` ${text.value.running}`}</span>
    </span>
  );
}
