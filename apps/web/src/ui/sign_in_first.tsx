/** What a page for signed-in users shows to others. */
import { texts } from "../language.ts";
import { askToSignIn } from "../sign_in.ts";

const text = texts({
  en: { first: "Sign in to see this page.", signIn: "Sign in" },
  ja: { first: "ログインすると表示されます。", signIn: "ログイン" },
});

export function SignInFirst({ title }: { title: string }) {
  return (
    <>
      <h1>{title}</h1>
      <p>{text.value.first}</p>
      <button type="button" class="primary" onClick={askToSignIn}>{text.value.signIn}</button>
    </>
  );
}
