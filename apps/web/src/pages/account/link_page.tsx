/**
 * The link of a mail, opened in any browser. The browser that requested the mail continues by PKCE. Any other one names the
 * account and asks, because the link may be of somebody else; nothing changes before the answer.
 */
import { useEffect, useState } from "preact/hooks";
import type { Session } from "@supabase/auth-js";
import { flowOf, followAddress, isPage, type LinkType, type MailLink, readMailLink } from "../../mail_links.ts";
import { href, navigate, place } from "../../router.ts";
import { isRecovering, linkResult, PAGE, supabase, user } from "../../service.ts";
import { settings } from "../../settings.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { useAction } from "../../ui/load.tsx";
import { LinkNote } from "../../ui/link_note.tsx";
import { SentenceError } from "../../sentence_error.ts";

const text = pageTexts(({ account }) => account.linkPage);

export function LinkPage() {
  const link = readMailLink(place.value.query);
  if (link === undefined) {
    return (
      <>
        <h1>{text.value.titles.magiclink}</h1>
        <ErrorNote error={text.value.incomplete} />
      </>
    );
  }
  const flow = flowOf(link, PAGE);
  return flow !== undefined && supabase.hasFlow(flow) ? <Following link={link} /> : <LinkQuestion link={link} />;
}

/** This browser requested the mail: the auth server redirects back with a code for its verifier. */
function Following({ link }: { link: MailLink }) {
  useEffect(() => location.replace(followAddress(settings.api, link)), []);
  return (
    <>
      <h1>{text.value.titles[link.type]}</h1>
      <p class="notice" role="status">{text.value.following}</p>
    </>
  );
}

const isSame = (one: string | undefined, other: string | undefined) => one?.toLowerCase() === other?.toLowerCase();

function LinkQuestion({ link }: { link: MailLink }) {
  const t = text.value;
  const [done, setDone] = useState<string>();
  const action = useAction(async () => setDone(await accept(link)));
  const { type, email, newEmail } = link;
  const current = user.value?.email;
  const isChange = type === "email_change";
  return (
    <>
      <h1>{t.titles[type]}</h1>
      {done === undefined
        ? (
          <>
            <p>{isChange ? t.change(email, newEmail!) : t.account(email)}</p>
            <p>{isChange ? t.staysOut : t.signsIn(email)}</p>
            {!isChange && current !== undefined && !isSame(current, email) && <p class="notice">{t.other(current)}</p>}
            <p>{t.caution}</p>
            {action.error !== undefined && <LinkFailure error={action.error} />}
            <p class="choices">
              <button type="button" class="primary" aria-busy={action.isRunning} onClick={() => void action.run()}>
                {t.go}
              </button>
              <Elsewhere link={link} />
              <a href={href("/")}>{t.stop}</a>
            </p>
          </>
        )
        : <p class="notice" role="status">{done}</p>}
    </>
  );
}

/** The error of a link has the sentence of its code. */
function LinkFailure({ error }: { error: unknown }) {
  return error instanceof Error ? <LinkNote result={error} /> : <ErrorNote error={error} />;
}

/** An app, or another page, that requested the mail. The auth server checks its address. */
function Elsewhere({ link }: { link: MailLink }) {
  const { redirectTo } = link;
  if (redirectTo === undefined || isPage(redirectTo, PAGE)) return null;
  const target = /^https?:$/.test(redirectTo.protocol) ? redirectTo.host : text.value.app;
  return <a href={followAddress(settings.api, link)}>{text.value.elsewhere(target)}</a>;
}

/** Pages after which a password is set: the account has none yet, or a forgotten one. */
const SETS_PASSWORD: readonly LinkType[] = ["invite", "recovery"];

/** Uses the link up. The sentence that is shown; undefined if the user is signed in and another page is open. */
async function accept({ type, tokenHash, email, newEmail }: MailLink): Promise<string | undefined> {
  const separate = supabase.separateAuth();
  const { data, error } = await separate.verifyOtp({ token_hash: tokenHash, type });
  if (error) throw error;
  const { session } = data;
  if (session === null) return text.value.half;
  if (type !== "email_change" && isSame(session.user.email, email)) return await adopt(session, type);
  // The session of a confirmed change, or of another account than the link says, is not for this browser.
  await separate.signOut({ scope: "local" });
  if (!isSame(session.user.email, newEmail)) throw new SentenceError(text.value.foreign);
  if (user.value?.id === session.user.id) await supabase.auth.refreshSession();
  return text.value.changed(newEmail!);
}

async function adopt({ access_token, refresh_token, user }: Session, type: LinkType): Promise<undefined> {
  // This page would appear again for the new user.
  navigate(user.app_metadata["admin"] ? "/console" : "/");
  const { error } = await supabase.auth.setSession({ access_token, refresh_token });
  linkResult.value = error;
  if (error === null && SETS_PASSWORD.includes(type)) isRecovering.value = true;
}
