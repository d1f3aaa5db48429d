/** The request to sign in, from any part of the application. The frame shows the dialog. */
import { effect, signal } from "@preact/signals";
import { user } from "./service.ts";

/** Whether the dialog is open. */
export const isSignInOpen = signal(false);

/** Those who wait for the end of the dialog. */
let waiting: ((isSignedIn: boolean) => void)[] = [];

/** Closes the dialog. What waited for the sign-in goes on. */
export function endSignIn(isSignedIn: boolean): void {
  isSignInOpen.value = false;
  const ended = waiting;
  waiting = [];
  for (const resolve of ended) resolve(isSignedIn);
}

// A user who signed in elsewhere, for example in another tab, is signed in here too. The page must not change below the
// modal dialog: Chrome leaves a text area that is laid out there without input.
effect(() => {
  if (user.value) endSignIn(true);
});

/** Opens the dialog. Resolves when it is closed: true if somebody signed in. */
export function askToSignIn(): Promise<boolean> {
  isSignInOpen.value = true;
  return new Promise((resolve) => waiting.push(resolve));
}

/** Performs what only a signed-in user can do. Others sign in first, and then it is performed. */
export async function whenSignedIn(perform: () => Promise<unknown>): Promise<void> {
  if (user.value || await askToSignIn()) await perform();
}
