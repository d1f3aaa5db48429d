/** The language, and who is signed in: in the header of a wide screen, and on a phone below the account. */
import { useState } from "preact/hooks";
import { isAppUser } from "../following.ts";
import { chooseLanguage, type Language, language, LANGUAGES } from "../language.ts";
import { href, place } from "../router.ts";
import { flush, signOut, waiting } from "../outbox.ts";
import { user } from "../service.ts";
import { askToSignIn } from "../sign_in.ts";
import { pageTexts } from "../texts/pages.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error_note.tsx";
import { Icon } from "../ui/icon.tsx";
import { ActionButton } from "../ui/load.tsx";

const text = pageTexts(({ app }) => app);

export function LanguageSwitch() {
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
      class="language"
      aria-label={text.value.language}
      value={language.value}
      onChange={(event) => void choose(event.currentTarget)}
    >
      {Object.entries(LANGUAGES).map(([code, name]) => <option key={code} value={code} lang={code}>{name}</option>)}
    </select>
  );
}

// The service decides who is an active administrator; this only hides the link from all others.
const isAdministrator = () => Boolean(user.value?.app_metadata["admin"]);

export function AccountTools() {
  if (user.value) return <SignOut />;
  return <button type="button" class="quiet sign-in" onClick={() => void askToSignIn()}>{text.value.signIn}</button>;
}

/** Signs out. Changes that cannot be sent before would be lost: then it asks. */
function SignOut() {
  const t = text.value;
  const [problem, setProblem] = useState<"loss" | { readonly error: unknown }>();
  const begin = async () => {
    await flush();
    if (waiting.peek().length > 0) setProblem("loss");
    else await signOut().catch((error: unknown) => setProblem({ error }));
  };
  return (
    <>
      {isAdministrator() && <a class="button quiet" href={href("/console")}>{t.names["/console"]}</a>}
      <ActionButton class="quiet" perform={begin}>{t.signOut}</ActionButton>
      {problem && (
        <Dialog title={t.signOut} onClose={() => setProblem(undefined)}>
          {problem === "loss"
            ? (
              <>
                <p>{t.losesChanges}</p>
                <ActionButton class="danger" perform={() => signOut()}>{t.signOutAnyway}</ActionButton>
              </>
            )
            : <ErrorNote error={problem.error} />}
        </Dialog>
      )}
    </>
  );
}

/** Below the account: where else it leads, the language and the way out. */
export function MeTools() {
  const t = text.value;
  if (place.value.path.split("/")[1] !== "account") return null;
  return (
    <nav class="me-tools" aria-label={t.more}>
      {isAppUser.value && (
        <a class="me-link" href={href("/rewards")}>
          {t.names["/rewards"]}
          <Icon name="right" />
        </a>
      )}
      <div class="me-frame row">
        <LanguageSwitch />
        {user.value && <SignOut />}
      </div>
    </nav>
  );
}
