// Every combination of the headers `authorization` and `apikey` at an endpoint of the service, with its response.

export interface ServiceKeys {
  readonly publishable: string;
  readonly secret: string;
  /** The legacy anon key. */
  readonly anon: string;
  /** The legacy service role key. */
  readonly service: string;
  /** A valid token of a user. */
  readonly user: string;
}

export interface ServiceKeyCase {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** The status, and for 401 the reason. */
  readonly response: string;
}

/** A bearer token decides if it is not a public key. Otherwise the key of `apikey` does. */
export function serviceKeyCases(keys: ServiceKeys): ServiceKeyCase[] {
  const missing = "401 token_missing";
  const invalid = "401 token_invalid";
  const unknown = "sb_secret_unknown0000000000000_00000000";
  // The response to each header alone, or with a header that does not change it.
  const bearers: readonly (readonly [name: string, value: string | undefined, response: string | undefined])[] = [
    ["none", undefined, undefined],
    ["the publishable key", `Bearer ${keys.publishable}`, undefined],
    ["the anon key", `Bearer ${keys.anon}`, undefined],
    ["the secret key", `Bearer ${keys.secret}`, "200"],
    ["the service role key", `Bearer ${keys.service}`, "200"],
    ["a user's token", `Bearer ${keys.user}`, "403"],
    ["an unknown key", `Bearer ${unknown}`, invalid],
    ["another scheme", `Basic ${btoa(`:${keys.secret}`)}`, invalid],
  ];
  const apikeys: readonly (readonly [name: string, value: string | undefined, response: string])[] = [
    ["none", undefined, missing],
    ["the publishable key", keys.publishable, missing],
    ["the anon key", keys.anon, missing],
    ["the secret key", keys.secret, "200"],
    ["the service role key", keys.service, "200"],
    ["a user's token", keys.user, missing],
    ["an unknown key", unknown, missing],
  ];
  return bearers.flatMap(([bearer, authorization, decided]) =>
    apikeys.map(([key, apikey, response]) => ({
      name: `authorization: ${bearer}, apikey: ${key}`,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(apikey === undefined ? {} : { apikey }),
      },
      response: decided ?? response,
    }))
  );
}

/** A response as the cases write it. */
export async function writtenResponse(response: Response): Promise<string> {
  const body = await response.json();
  return response.status === 401 ? `401 ${body.error.details.reason}` : String(response.status);
}
