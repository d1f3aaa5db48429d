// What the parts of the auth server share.
import type { Sql } from "postgres";
import type { AuthConfig } from "../config.ts";
import type { JwtAlgorithm } from "../settings.ts";
import type { Mailbox } from "./mailbox.ts";

export interface AuthContext {
  readonly sql: Sql;
  readonly config: AuthConfig;
  /** Where clients reach the platform: links of mails begin with it. */
  readonly publicUrl: string;
  /** `iss` of access tokens. */
  readonly issuer: string;
  /** What access tokens are signed with. */
  readonly algorithm: JwtAlgorithm;
  readonly mailbox: Mailbox;
}

/** The client of a new session, for the list of sessions. */
export interface Client {
  readonly address: string;
  readonly userAgent: string | null;
}

/** A request, as its handler receives it. */
export interface Call {
  readonly context: AuthContext;
  readonly request: Request;
  readonly body: Uint8Array;
  readonly url: URL;
  /** `Bearer …`: the request's own token or that of its key. */
  readonly authorization: string;
  readonly client: Client;
  /** The requested target of the link in a mail. */
  readonly redirect: string | null;
}
