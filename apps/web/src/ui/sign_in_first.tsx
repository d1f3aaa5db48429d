/** What a page for signed-in users shows to others. */
import { askToSignIn } from "../sign_in.ts";
import { pageTexts } from "../texts/pages.ts";

const text = pageTexts(({ ui }) => ui.signInFirst);

export function SignInFirst({ title }: { title: string }) {
  return (
    <>
      <h1>{title}</h1>
      <p>{text.value.first}</p>
      <button type="button" class="primary" onClick={() => void askToSignIn()}>{text.value.signIn}</button>
    </>
  );
}
