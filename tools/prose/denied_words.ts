// Words and turns that the pages and the contract do not use, and what to write instead (CONTRIBUTING.md, "Language").

export interface Denied {
  /** Matched in a sentence without its code and addresses. */
  readonly pattern: RegExp;
  readonly instead: string;
}

export const DENIED: readonly Denied[] = [
  { pattern: /\b(tells?|told)\b/i, instead: "returns, shows, reports" },
  { pattern: /\b(says|said|speaks?|spoke)\b/i, instead: "states, returns, names" },
  { pattern: /\b(forgets?)\b/i, instead: "deletes" },
  { pattern: /\b(hears?|heard)\b/i, instead: "receives" },
  { pattern: /\bknock(s|ed)?\b/i, instead: "calls, authenticates" },
  { pattern: /\b(wears?|wore)\b/i, instead: "has, uses" },
  { pattern: /\banew\b/i, instead: "again" },
  { pattern: /\blest\b/i, instead: "so that … not" },
  { pattern: /\bwhoever\b/i, instead: "a user who, a client that" },
  { pattern: /\bwhatever\b/i, instead: "any, all" },
  { pattern: /\bsomebody\b/i, instead: "a user, another user" },
  { pattern: /\bnobody\b/i, instead: "no user, no client" },
  { pattern: /\bvisitors?\b/i, instead: "anonymous user" },
  { pattern: /\bdeeds?\b/i, instead: "activity" },
  { pattern: /\bbeside\b/i, instead: "in addition to, with, next to" },
  // Allowed as a place on the network: behind a proxy, behind the hosted edge.
  {
    pattern: /\bbehind\b(?! (a|an|another|the|its) ([\w-]+ )?(proxy|edge|gateway|firewall|balancer|network)\b)/i,
    instead: "after",
  },
  { pattern: /\bin its midst\b/i, instead: "during" },
  { pattern: /\bgone\b/i, instead: "deleted, removed" },
  { pattern: /\b(stands|stood)\b/i, instead: "is, is in" },
  // Allowed of people only.
  {
    pattern: /(?<!\b(user|users|administrator|administrators|person|people|you|driver|drivers|is|are|be) )\basks?\b/i,
    instead: "calls, queries, requests; of a reader: request, use",
  },
  {
    pattern: /(?<!\b(user|users|administrator|administrators|person|people|driver|drivers) (is |are )?)\basked\b/i,
    instead: "called, queried, requested",
  },
  { pattern: /\b(is|are|was|were) no \w+['’]s\b/i, instead: "does not belong to" },
  { pattern: /^who\b[^?]*$/i, instead: "a subject with a name: a user who …" },
  {
    pattern: /^what\b[^?]*\b(is|are|was|has|comes|stays|counts|takes|makes|goes)\b[^?]*\.$/i,
    instead: "a subject with a name",
  },
];
