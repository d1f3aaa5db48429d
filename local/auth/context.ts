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
