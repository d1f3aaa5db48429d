/** What the link of a mail did, in words of this application: the address may have been written by anybody. */
import { texts } from "../language.ts";
import { linkResult } from "../service.ts";
import { ErrorNote } from "./error_note.tsx";

const text = texts({
  en: {
    half: "This address confirmed the change. The other address has a mail too: open its link as well.",
    tokens: "The address of this page had a session of somebody in it. It was not used.",
    expired:
      "This link is not valid any more: it was used, it is too old, or a newer mail was sent. Ask for a new mail.",
    elsewhere: "This link was made for another browser. Open it there, or ask for a new mail here.",
    failed: "The link of the mail did not work. Ask for a new mail.",
  },
  ja: {
    half: "このアドレスでの確認が完了しました。もう一方のアドレスに届いたメールのリンクも開いてください。",
    tokens: "このページのアドレスに他のセッションの情報が含まれていましたが、使用しませんでした。",
    expired:
      "このリンクは無効です。使用済み、期限切れ、または新しいメールが送信されています。もう一度メールを送ってください。",
    elsewhere: "このリンクは別のブラウザー用です。そのブラウザーで開くか、ここで新しいメールを送ってください。",
    failed: "メールのリンクを使用できませんでした。もう一度メールを送ってください。",
  },
});

type Sentence = keyof typeof text.value;

/** The sentences of the auth server's codes, and of the one of this application (`tokens`). */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  tokens: "tokens",
  otp_expired: "expired",
  flow_state_expired: "expired",
  flow_state_already_used: "expired",
  flow_state_not_found: "elsewhere",
  bad_code_verifier: "elsewhere",
  pkce_code_verifier_not_found: "elsewhere",
};

export function LinkNote({ result }: { result: NonNullable<typeof linkResult.value> }) {
  if ("kind" in result && result.kind === "half") {
    return <p class="notice" role="status">{text.value.half}</p>;
  }
  const code = "code" in result ? String(result.code) : "";
  const sentence = SENTENCES[code];
  // An error without a code of the auth server, for example of the network, has its own sentence.
  if (sentence === undefined && result instanceof Error) return <ErrorNote error={result} />;
  return <ErrorNote error={text.value[sentence ?? "failed"]} />;
}
