/** What the link of a mail did, in words of this application: the address may have been written by anybody. */
import { linkResult } from "../service.ts";
import { pageTexts } from "../texts/pages.ts";
import { ErrorNote } from "./error_note.tsx";

const text = pageTexts(({ ui }) => ui.linkNote);

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
