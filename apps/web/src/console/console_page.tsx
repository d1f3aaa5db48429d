/// <reference lib="dom" />
/** The administrators' console: its navigation by areas, and the screen that the address names. */
import { useEffect, useRef } from "preact/hooks";
import type { PageProps } from "../page.ts";
import { href } from "../router.ts";
import { user } from "../service.ts";
import { Loaded, useLoad } from "../ui/load.tsx";
import { askToSignIn } from "../sign_in.ts";
import { consoleTexts } from "../texts/console.ts";
import { isAdministrator, may, me, readMe } from "./kit/access.ts";
import { announcement } from "./kit/announcement.ts";
import { names, type Screen, SCREENS } from "./screens.ts";
import { Sidebar } from "./sidebar.tsx";

const text = consoleTexts(({ consolePage }) => consolePage);

export function ConsolePage({ parts }: PageProps) {
  return user.value ? <AdministratorConsole parts={parts} /> : (
    <>
      <h1>{text.value.console}</h1>
      <p class="notice">{text.value.signInFirst}</p>
      <button type="button" class="primary" onClick={askToSignIn}>{text.value.signIn}</button>
    </>
  );
}

function AdministratorConsole({ parts }: PageProps) {
  const load = useLoad(async (signal) => {
    me.value = undefined;
    await readMe(signal);
    return true;
  }, []);
  useReadAgainInForeground();
  return (
    <Loaded load={load}>
      {() =>
        isAdministrator() ? <ConsoleScreens parts={parts} /> : (
          <>
            <h1>{text.value.console}</h1>
            <p class="notice">{text.value.noAdministrator}</p>
          </>
        )}
    </Loaded>
  );
}

function useReadAgainInForeground() {
  useEffect(() => {
    const onChange = () => document.visibilityState === "visible" && void readMe().catch(() => {});
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
}

const isOffered = ({ areas }: Screen) => may(undefined) && (areas === undefined || areas.some(may));

function ConsoleScreens({ parts }: PageProps) {
  const [path = "overview", ...rest] = parts;
  const screen = SCREENS.find((screen) => screen.path === path);
  return (
    <div class="console">
      <nav class="console-nav" aria-label={text.value.screens}>
        <ul>
          {SCREENS.filter(isOffered).map((screen) => (
            <li key={screen.path}>
              <a href={href(`/console/${screen.path}`)} aria-current={screen.path === path ? "page" : undefined}>
                {names.value[screen.path]}
              </a>
            </li>
          ))}
        </ul>
        <Sidebar />
      </nav>
      <div class="console-screen">
        <ScreenHeading path={path} name={screen ? names.value[screen.path] : text.value.console} />
        <p role="status" class="console-announcement">{announcement.value}</p>
        {screen ? <screen.component key={path} parts={rest} /> : <p class="notice">{text.value.nothing}</p>}
      </div>
    </div>
  );
}

/** Another screen begins at its heading, also for those who do not see it. */
function ScreenHeading({ path, name }: { path: string; name: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    announcement.value = "";
    heading.current?.focus();
  }, [path]);
  return <h1 ref={heading} tabIndex={-1}>{name}</h1>;
}
