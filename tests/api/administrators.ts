// Administrators for the tests of the console: each has exactly the areas that a test names.
import { type Ask, asUser, type Person, signUp } from "../support/people.ts";

export interface Administrator extends Person {
  readonly ask: Ask;
}

export async function anAdministrator(...areas: string[]): Promise<Administrator> {
  const person = await signUp({ appMetadata: { admin: { name: "Administrator", areas } } });
  return { ...person, ask: asUser(person) };
}

/** The options of a request with a JSON body. */
export function sending(method: string, body?: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}
