/** The request to sign in, from any part of the application. The frame shows the dialog. */
import { effect, signal } from "@preact/signals";
import { user } from "./service.ts";

/** Whether the dialog is open. */
export const isSignInOpen = signal(false);

// The page appears again for another user. It must not appear below the modal dialog: Chrome leaves a text area that is
// laid out there without input.
effect(() => {
  if (user.value) isSignInOpen.value = false;
});

/** Opens the dialog. */
export function askToSignIn(): void {
  isSignInOpen.value = true;
}

/** Performs what only a signed-in user can do; opens the dialog for others. */
export async function whenSignedIn(perform: () => Promise<unknown>): Promise<void> {
  if (user.value) await perform();
  else askToSignIn();
}
