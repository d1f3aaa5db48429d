// `/` and `/_mail`: pages for people, JSON for programs.
import { strict as assert } from "node:assert";
import { Mailbox } from "../../local/auth/mailbox.ts";
import { mailPage } from "../../local/auth/mail_page.ts";
import { homePage } from "../../local/gateway/home.ts";
import { SAMPLE_PASSWORD, SAMPLE_PEOPLE } from "../../tools/seed/people/sample_people.ts";
import { PUBLISHABLE_KEY } from "../../local/settings.ts";
import { stack } from "../support/stack.ts";

const home = homePage(() => SAMPLE_PEOPLE);

function request(accept?: string): Request {
  return new Request("http://10.0.2.2:5000/", { headers: accept === undefined ? {} : { accept } });
}

Deno.test("GET /: the Accept header with its q-values decides between HTML and JSON, JSON without a preference", async () => {
  const types: Record<string, string> = {
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html",
    "text/*": "text/html",
    "application/json;q=0.2, text/html;q=0.3": "text/html",
    "*/*": "application/json",
    "application/json": "application/json",
    "text/html;q=0.5, application/json": "application/json",
    "text/html;q=0": "application/json",
    "image/png": "application/json",
  };
  for (const [accept, type] of Object.entries(types)) {
    const response = await home(request(accept));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type")?.split(";")[0], type, accept);
    assert.equal(response.headers.get("vary"), "Accept", accept);
  }
  assert.equal((await home(request())).headers.get("content-type"), "application/json");
});

Deno.test("GET /: the page and the JSON name the sample people, the key, and requests to the address of the request", async () => {
  const text = await (await home(request("text/html"))).text();
  const json = await (await home(request())).json();
  assert.deepEqual(
    json.sample_people.map(({ email }: { email: string }) => email),
    SAMPLE_PEOPLE.map((one) => one.email),
  );
  for (const { email } of SAMPLE_PEOPLE) assert.ok(text.includes(email), email);
  for (const part of [SAMPLE_PASSWORD, PUBLISHABLE_KEY]) {
    assert.ok(text.includes(part) && JSON.stringify(json).includes(part), part);
  }
  assert.equal(text.match(/curl (&#39;)?http:\/\/10\.0\.2\.2:5000\//g)?.length, 3);
  assert.equal(json.links.mails, "http://10.0.2.2:5000/_mail");
});

Deno.test("GET /: without sample people the page does not mention them", async () => {
  const response = await homePage(() => [])(request("text/html"));
  assert.doesNotMatch(await response.text(), /password <|Sign in/);
});

Deno.test("GET /: the policy allows no script and only the page's own style", async () => {
  const response = await home(request("text/html"));
  const policy = response.headers.get("content-security-policy")!;
  const [, style] = (await response.text()).match(/<style>([^]*)<\/style>/)!;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  assert.ok(policy.includes(`style-src 'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`), policy);
  assert.match(policy, /^default-src 'none';/);
  assert.doesNotMatch(policy, /script-src|unsafe/);
});

Deno.test("GET /: each link of the page works", async () => {
  const { apiUrl } = stack();
  const response = await fetch(`${apiUrl}/`, { headers: { accept: "text/html" } });
  const links = [...(await response.text()).matchAll(/href="([^"]+)"/g)].map(([, path]) => path!);
  for (const path of ["/explore/", "/docs/", "/_mail", "/v1/openapi"]) assert.ok(links.includes(path), path);
  for (const link of links) {
    const answer = await fetch(apiUrl + link);
    await answer.body?.cancel();
    assert.equal(answer.status, 200, link);
  }
});

Deno.test("HEAD /: has the headers of GET", async () => {
  const { apiUrl } = stack();
  const headers = { accept: "text/html" };
  const [get, head] = await Promise.all(["GET", "HEAD"].map((method) => fetch(`${apiUrl}/`, { method, headers })));
  assert.equal(head!.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(Number(head!.headers.get("content-length")), (await get!.bytes()).length);
});

Deno.test("GET /_mail: the newest mail is first, with its code", async () => {
  const mailbox = new Mailbox(() => {});
  mailbox.send({ to: "a@example.com", subject: "First", body: "Text" });
  mailbox.send({ to: "b@example.com", subject: "Second", body: "Text", code: "123456" });
  const url = new URL("http://localhost/_mail");
  const list = await (await mailPage(mailbox, new Request(url), url)).text();
  assert.ok(list.indexOf("Second") < list.indexOf("First"));
  assert.match(list, /Second<\/a> <strong>123456<\/strong>/);
});
