/** Whose a request is, by its own token: another user can be signed in when it is sent or answered. */

/** The id of the user; empty for a guest. */
export function ownerOf({ headers }: Pick<Request, "headers">): string {
  const [, payload] = headers.get("Authorization")?.split(".") ?? [];
  if (payload === undefined) return "";
  const { sub } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
  return typeof sub === "string" ? sub : "";
}
