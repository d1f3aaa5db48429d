/** How long the service waits for each provider, in milliseconds. The deadline of a model is a setting of AI search. */
export const DEADLINES = {
  /** One attempt. A user's request waits for two at most. */
  appStore: 6_000,
  /** All requests of one operation together. */
  googlePlay: 10_000,
  googleToken: 10_000,
  ocsp: 5_000,
  push: 15_000,
  mail: 10_000,
  /** Both attempts together. A search waits for them. */
  geocoder: 800,
  /** A report can have megabytes. */
  storeReports: 30_000,
  objectStorage: 10_000,
  /**
   * Shorter than the 15 seconds of an invitation's claim, so that no other request sends a second mail while this one
   * may still arrive.
   */
  identity: 10_000,
} as const;
