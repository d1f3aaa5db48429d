// apps/web/src/mail_links.ts: what the address of the page brings, and what is never taken from it.
import assert from "node:assert/strict";
import { flowOf, followAddress, type MailLink, readArrival, readMailLink } from "../../apps/web/src/mail_links.ts";

const PAGE = "https://park.example.com/explore/";
const TOKENS = "access_token=a.b.c&refresh_token=r&expires_in=3600&token_type=bearer";

Deno.test("explorer: an address with the tokens of a session brings none, in the fragment and in the query", () => {
  for (const type of ["magiclink", "recovery", "signup", "invite", "email_change"]) {
    for (const place of ["?", "#", "?code=x&sb_flow_id=12345678&", "#code=x&"]) {
      const { arrival, rest } = readArrival(`${PAGE}${place}${TOKENS}&type=${type}`);
      assert.deepEqual([arrival, rest], [{ kind: "error", code: "tokens" }, PAGE], `${place} ${type}`);
    }
  }
});

Deno.test("explorer: a code, an error and a first confirmation are read and removed; the page and other parameters stay", () => {
  const cases = [
    ["?code=c&sb_flow_id=f", { kind: "code", code: "c", flowId: "f" }, ""],
    ["?api=x&code=c&sb_flow_id=f&key=y", { kind: "code", code: "c", flowId: "f" }, "?api=x&key=y"],
    ["?code=c&sb_flow_id=f#/console", { kind: "code", code: "c", flowId: "f" }, "#/console"],
    ["?code=c", { kind: "error", code: "flow_state_not_found" }, ""],
    ["#error=access_denied&error_code=otp_expired&error_description=x&sb=", { kind: "error", code: "otp_expired" }, ""],
    ["?error=server_error#error=server_error", { kind: "error", code: "unknown" }, ""],
    ["?message=m&sb_flow_id=f#message=m&sb=", { kind: "half" }, ""],
    ["#message=m", undefined, ""],
    ["#/lots/1?type=a&code=b", undefined, "#/lots/1?type=a&code=b"],
    ["", undefined, ""],
  ] as const;
  for (const [given, arrival, rest] of cases) {
    assert.deepEqual(readArrival(PAGE + given), { arrival, rest: PAGE + rest }, given);
  }
});

const link = (changes: Record<string, string> = {}) =>
  readMailLink(
    new URLSearchParams({
      type: "magiclink",
      token_hash: "pkce_1",
      email: "a@x.test",
      redirect_to: `${PAGE}?sb_flow_id=f`,
      ...changes,
    }),
  );

Deno.test("explorer: a link of a mail needs its type, its token and its account", () => {
  assert.equal(link()?.type, "magiclink");
  for (const part of ["type", "token_hash", "email"]) assert.equal(link({ [part]: "" }), undefined, part);
  assert.equal(link({ type: "toString" }), undefined);
  assert.equal(link({ type: "email_change" }), undefined);
  assert.equal(link({ type: "email_change", new_email: "b@x.test" })?.newEmail, "b@x.test");
  assert.equal(link({ redirect_to: "not an address" })?.redirectTo, undefined);
});

Deno.test("explorer: only a PKCE link that leads back to this page continues by redirects", () => {
  assert.equal(flowOf(link()!, PAGE), "f");
  const others: Record<string, string>[] = [
    { token_hash: "1" },
    { redirect_to: PAGE },
    { redirect_to: `${PAGE}other?sb_flow_id=f` },
    { redirect_to: "https://evil.example.com/explore/?sb_flow_id=f" },
    { redirect_to: "parking://auth?sb_flow_id=f" },
    { redirect_to: "" },
  ];
  for (const changes of others) assert.equal(flowOf(link(changes)!, PAGE), undefined, JSON.stringify(changes));
  assert.equal(
    followAddress("https://p.test", link() as MailLink),
    `https://p.test/auth/v1/verify?token=pkce_1&type=magiclink&redirect_to=${
      encodeURIComponent(`${PAGE}?sb_flow_id=f`)
    }`,
  );
});
