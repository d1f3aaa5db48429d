// Callers of the API: new users with real sessions, administrators, and anonymous users.
import { readAfter, stack } from "./stack.ts";

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly refreshToken: string;
}

export interface NewPerson {
  readonly displayName?: string;
  /** Who is created by the back office: `{ admin: { name, areas } }` makes an administrator. */
  readonly appMetadata?: Record<string, unknown>;
}

/** Sends a request to a function of the service: `ask("/me")` is GET {base_url}/v1/me. */
export type Ask = (path: string, options?: RequestInit) => Promise<Response>;

const PASSWORD = "correct horse battery";

/** A new signed-in user. */
export async function signUp(appUser: NewPerson = {}): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { publishableKey, secretKey } = stack();
  if (appUser.appMetadata === undefined) {
    const data = appUser.displayName === undefined ? {} : { display_name: appUser.displayName };
    return session(await auth("/signup", publishableKey, { email, password: PASSWORD, data }), email);
  }
  await auth("/admin/users", secretKey, {
    email,
    password: PASSWORD,
    email_confirm: true,
    app_metadata: appUser.appMetadata,
    user_metadata: appUser.displayName === undefined ? {} : { display_name: appUser.displayName },
  });
  return await signIn(email);
}

export async function signIn(email: string): Promise<Person> {
  const { publishableKey } = stack();
  return session(await auth("/token?grant_type=password", publishableKey, { email, password: PASSWORD }), email);
}

export function asUser(appUser: Person): Ask {
  return asking({ authorization: `Bearer ${appUser.token}` });
}

export function asAnonymous(): Ask {
  return asking({});
}

function asking(identity: Record<string, string>): Ask {
  const { functionsUrl, publishableKey } = stack();
  return (path, options = {}) => {
    const headers = new Headers({ apikey: publishableKey, ...readAfter(), ...identity });
    if (typeof options.body === "string") headers.set("content-type", "application/json");
    for (const [name, value] of new Headers(options.headers)) headers.set(name, value);
    return fetch(`${functionsUrl}${path}`, { ...options, headers });
  };
}

async function auth(path: string, key: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${stack().apiUrl}/auth/v1${path}`, {
    method: "POST",
    headers: { apikey: key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST /auth/v1${path} answered ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

function session(answer: Record<string, unknown>, email: string): Person {
  const user = answer["user"] as { id: string };
  return {
    id: user.id,
    email,
    password: PASSWORD,
    token: String(answer["access_token"]),
    refreshToken: String(answer["refresh_token"]),
  };
}
