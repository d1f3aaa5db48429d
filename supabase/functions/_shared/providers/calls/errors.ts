/** The three errors of a provider. Each client of a provider decides which of its responses mean them. */

interface DownOptions extends ErrorOptions {
  readonly why?: "unreachable" | "too_slow" | "rate_limited" | "failing";
  readonly retryAfter?: number | undefined;
}

/** The provider cannot be used now: the same request can succeed later. */
export class ProviderDown extends Error {
  override readonly name = "ProviderDown";
  readonly why: NonNullable<DownOptions["why"]>;
  /** Seconds until the next attempt. Undefined if the caller decides. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { why = "failing", retryAfter, ...options }: DownOptions = {}) {
    super(message, options);
    this.why = why;
    this.retryAfter = retryAfter;
  }
}

/** The provider does not accept our key or account. A retry cannot help. */
export class CredentialsRejected extends Error {
  override readonly name = "CredentialsRejected";
}

/** The provider does not return what was requested. A retry cannot help. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(
    readonly code: "not_configured" | "unknown" | "column_missing" | "report_missing" | "unreadable" | "rejected",
    message: string,
  ) {
    super(message);
  }
}
