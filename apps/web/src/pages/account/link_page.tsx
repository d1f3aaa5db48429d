/**
 * The link of a mail, opened in any browser. The browser that requested the mail continues by PKCE. Any other one names the
 * account and asks, because the link may be of somebody else; nothing changes before the answer.
 */
import { useEffect, useState } from "preact/hooks";
import type { Session } from "@supabase/auth-js";
import { texts } from "../../language.ts";
import { flowOf, followAddress, isPage, type LinkType, type MailLink, readMailLink } from "../../mail_links.ts";
import { href, navigate, place } from "../../router.ts";
import { isRecovering, linkResult, PAGE, supabase, user } from "../../service.ts";
import { settings } from "../../settings.ts";
import { ErrorNote } from "../../ui/error_note.tsx";
import { useAction } from "../../ui/load.tsx";
import { LinkNote } from "../../ui/link_note.tsx";

const text = texts({
  en: {
    titles: {
      signup: "Confirm your mail address",
      invite: "Accept the invitation",
      recovery: "Set a new password",
      magiclink: "Sign in",
      email_change: "Confirm the change of address",
    },
    incomplete: "A part of this link is missing. Open it from the mail again, or ask for a new mail.",
    following: "Signing in…",
    account: (email: string) => `This link is for the account ${email}.`,
    change: (email: string, next: string) => `The address of the account ${email} becomes ${next}.`,
    signsIn: (email: string) => `If you continue, ${email} is signed in in this browser.`,
    staysOut: "Nobody is signed in or out in this browser.",
    other: (email: string) => `You are signed in as ${email}. If you continue, ${email} is signed out in this browser.`,
    caution: "Continue only if you expected this mail.",
    go: "Continue",
    stop: "Do not continue",
    elsewhere: (target: string) => `Continue in ${target}`,
    app: "the app",
    foreign: "This link belongs to another account than it says. Nothing was changed in this browser.",
    half: "Confirmed. The other address has a mail too: open its link as well.",
    changed: (email: string) => `The address of the account is ${email} now.`,
  },
  ja: {
    titles: {
      signup: "メールアドレスの確認",
      invite: "招待の承諾",
      recovery: "パスワードの再設定",
      magiclink: "ログイン",
      email_change: "メールアドレス変更の確認",
    },
    incomplete: "リンクの一部が欠けています。メールからもう一度開くか、新しいメールを送ってください。",
    following: "ログインしています…",
    account: (email: string) => `このリンクはアカウント ${email} のものです。`,
    change: (email: string, next: string) => `アカウント ${email} のアドレスを ${next} に変更します。`,
    signsIn: (email: string) => `続けると、このブラウザーで ${email} としてログインします。`,
    staysOut: "このブラウザーのログイン状態は変わりません。",
    other: (email: string) =>
      `現在 ${email} としてログインしています。続けると、このブラウザーで ${email} はログアウトします。`,
    caution: "このメールに心当たりがある場合だけ続けてください。",
    go: "続ける",
    stop: "中止する",
    elsewhere: (target: string) => `${target}で続ける`,
    app: "アプリ",
    foreign: "このリンクは、表示されたものとは別のアカウントのものです。このブラウザーでは何も変更していません。",
    half: "確認しました。もう一方のアドレスに届いたメールのリンクも開いてください。",
    changed: (email: string) => `アカウントのアドレスは ${email} になりました。`,
  },
});

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
  if (!isSame(session.user.email, newEmail)) throw new Error(text.value.foreign);
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
