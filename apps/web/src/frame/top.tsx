/** The header: brand and navigation on a wide screen; on a phone back, title and one action. */
import { isAppUser } from "../following.ts";
import { pageAction } from "../page.ts";
import { href, place } from "../router.ts";
import { user } from "../service.ts";
import { settings } from "../settings.ts";
import { askToSignIn } from "../sign_in.ts";
import { pageTexts } from "../texts/pages.ts";
import { Icon } from "../ui/icon.tsx";
import { heading } from "./heading.ts";
import { addressOf, TabBar } from "./tab_bar.tsx";
import { AccountTools, LanguageSwitch } from "./tools.tsx";

const text = pageTexts(({ app }) => app);

/** The first parts of paths that the tab bar leads to: their pages have no way back. */
const ROOTS: readonly string[] = ["/", "/session", "/inbox", "/account"];

export function Top() {
  const t = text.value;
  const { path } = place.value;
  return (
    <header class={path === "/" ? "top top-find" : "top"}>
      <a class="top-brand" href={href("/")}>
        <Mark />
        {settings.name}
      </a>
      {!ROOTS.includes(path) && (
        <a class="top-back" href={parentOf(path)} aria-label={t.back} onClick={goBack}>
          <Icon name="back" />
        </a>
      )}
      <p class="top-title" aria-hidden="true">{titleOf(path)}</p>
      <TabBar />
      <div class="top-action">
        <Action />
      </div>
      <div class="top-tools">
        <LanguageSwitch />
        <AccountTools />
      </div>
    </header>
  );
}

function titleOf(path: string): string {
  const names: Readonly<Record<string, string>> = text.value.names;
  const name = names[`/${path.split("/")[1]}`];
  return heading.value.isShown && name !== undefined ? name : heading.value.text;
}

/** The address of the page above: the map for a lot, the list for an entry of it. */
function parentOf(path: string): string {
  const parts = path.split("/").slice(1, -1);
  if (path === "/rewards") return href("/account");
  return parts.length === 0 || parts[0] === "lots" ? addressOf({ path: "/" }) : href(`/${parts.join("/")}`);
}

let depth = 0;
addEventListener("hashchange", () => depth++);

/** Back in the history, if this application has one: the page before is as it was. */
function goBack(event: Event): void {
  if (depth === 0) return;
  event.preventDefault();
  history.back();
}

/** The action of the page; for a guest the way to sign in. */
function Action() {
  const action = pageAction.value;
  if (action) {
    return (
      <button type="button" class="link" aria-pressed={action.isPressed} onClick={() => void action.perform()}>
        {action.label}
      </button>
    );
  }
  if (user.value || isAppUser.value) return null;
  return <button type="button" class="link sign-in" onClick={() => void askToSignIn()}>{text.value.signIn}</button>;
}

/** The mark: a bay with a car in it. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M8 25V10a3 3 0 0 1 3-3h10a3 3 0 0 1 3 3v15" />
      <rect class="mark-car" x="12.5" y="12" width="7" height="12" rx="2.5" />
    </svg>
  );
}
