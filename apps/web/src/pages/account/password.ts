/** Passwords in NFKC: the same word is one password, whichever keyboard and width it is typed with. */
import type { GoTrueClient } from "@supabase/auth-js";

/** The auth server hashes with bcrypt, which reads no further bytes. */
export const MAX_BYTES = 72;

/** The password as it is sent. */
export const sentPassword = (typed: string): string => typed.normalize("NFKC");

/** How many bytes the auth server receives. */
export const bytesOf = (typed: string): number => new TextEncoder().encode(sentPassword(typed)).length;

/** Signs in. A password of another client can be stored as it was typed: that one is tried second. */
export async function signInWithPassword(
  auth: Pick<GoTrueClient, "signInWithPassword">,
  email: string,
  typed: string,
): ReturnType<GoTrueClient["signInWithPassword"]> {
  const password = sentPassword(typed);
  const result = await auth.signInWithPassword({ email, password });
  if (password === typed || result.error?.code !== "invalid_credentials") return result;
  return await auth.signInWithPassword({ email, password: typed });
}
