// Mails, links and account rules as in a hosted project: the Supabase client against an auth server that follows
// supabase/config.toml without the relaxations of development.
import { strict as assert } from "node:assert";
import { createClient, type SupabaseClient, type SupabaseClientOptions } from "@supabase/supabase-js";
import { Auth } from "../../local/auth/auth.ts";
import { type Mail, Mailbox } from "../../local/auth/mailbox.ts";
import { fill, firstLink, readTemplate } from "../../local/auth/templates.ts";
import { type AuthConfig, authConfig, readConfig } from "../../local/config.ts";
import { PUBLISHABLE_KEY, SECRET_KEY } from "../../local/settings.ts";
import { database, type TestDatabase } from "../support/database.ts";
import { verifyAddress } from "../support/mail_links.ts";

const SITE = "https://park.example.com";
const ORIGIN = "http://127.0.0.1:54321";
const APP_LINK = "parking://auth/reset";
const PASSWORD = "password 1";
const TEMPLATE = "supabase/templates/reauthentication.html";

interface Server {
  readonly db: TestDatabase;
  readonly auth: Auth;
  client(options?: SupabaseClientOptions<"public">["auth"]): SupabaseClient;
  admin(): SupabaseClient["auth"]["admin"];
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** The mails to an address, the latest first. */
  mails(to: string): Promise<Mail[]>;
  /** Follows the link of a mail: where it leads. */
  follow(mail: Mail | undefined): Promise<URL>;
}

async function withAuth(
  run: (server: Server) => Promise<void>,
  change: Partial<AuthConfig> = {},
): Promise<void> {
  const db = await database();
  const admin = new URL(db.url);
  [admin.username, admin.password] = ["supabase_auth_admin", "postgres"];
  const config = {
    ...authConfig(await readConfig(), SITE, "hosted"),
    siteUrl: SITE,
    redirectUrls: ["parking://**"],
    ...change,
  };
  const auth = await Auth.start({
    admin: admin.href,
    config,
    origin: ORIGIN,
    publicUrl: ORIGIN,
    rate: 1_000,
    algorithm: "HS256",
    mailbox: new Mailbox(() => {}),
    log: () => {},
  });
  const handle = (request: Request) => {
    const url = new URL(request.url);
    if (url.pathname.startsWith("/_mail")) return Promise.resolve(auth.mail(request, url));
    return auth.handle(request, url, "192.0.2.1");
  };
  const ask = (path: string, init?: RequestInit) => handle(new Request(ORIGIN + path, init));
  const connect = (key: string, options: SupabaseClientOptions<"public">["auth"] = {}) => {
    const own = new Map<string, string>();
    const storage = {
      getItem: (name: string) => own.get(name) ?? null,
      setItem: (name: string, value: string) => void own.set(name, value),
      removeItem: (name: string) => void own.delete(name),
    };
    return createClient(ORIGIN, key, {
      auth: { storage, autoRefreshToken: false, detectSessionInUrl: false, ...options },
      global: { fetch: (input, init) => handle(new Request(input, init)) },
    });
  };
  try {
    await run({
      db,
      auth,
      ask,
      client: (options) => connect(PUBLISHABLE_KEY, options),
      admin: () => connect(SECRET_KEY, { persistSession: false }).auth.admin,
      mails: async (to) =>
        await (await ask(`/_mail?to=${encodeURIComponent(to)}`, { headers: { accept: "application/json" } })).json(),
      follow: async (mail) => {
        const { pathname, search } = new URL(verifyAddress(ORIGIN, mail?.link));
        const response = await ask(pathname + search);
        assert.equal(response.status, 303);
        return new URL(response.headers.get("location")!);
      },
    });
  } finally {
    await auth.stop();
    await db.close();
  }
}

const address = () => `${crypto.randomUUID()}@example.com`;

function tokensOf(url: URL): URLSearchParams {
  return new URLSearchParams(url.hash.slice(1));
}

Deno.test("local auth: sign-up requires a confirmed address before the first sign-in, by link or by code", async () => {
  await withAuth(async ({ client, mails, follow, ask }) => {
    for (const way of ["link", "code"]) {
      const email = address();
      const supabase = client();
      const signed = await supabase.auth.signUp({ email, password: PASSWORD });
      assert.deepEqual([signed.error, signed.data.session], [null, null]);
      const early = await client().auth.signInWithPassword({ email, password: PASSWORD });
      assert.equal(early.error?.code, "email_not_confirmed");
      const [mail] = await mails(email);
      if (way === "link") {
        const { pathname, search } = new URL(verifyAddress(ORIGIN, mail!.link));
        assert.equal((await ask(pathname + search, { method: "HEAD" })).status, 404);
        const target = await follow(mail);
        assert.equal(target.origin, SITE);
        assert.equal(tokensOf(target).get("type"), "signup");
        const session = {
          access_token: tokensOf(target).get("access_token")!,
          refresh_token: tokensOf(target).get("refresh_token")!,
        };
        assert.equal((await supabase.auth.setSession(session)).data.user?.email, email);
      } else {
        const verified = await supabase.auth.verifyOtp({ email, token: mail!.code!, type: "signup" });
        assert.equal(verified.data.user?.email, email);
      }
      assert.equal((await client().auth.signInWithPassword({ email, password: PASSWORD })).error, null);
      assert.match((await follow(mail)).hash, /error_code=otp_expired/);
    }
    // Whether an address is known is not told.
    const known = address();
    await client().auth.signUp({ email: known, password: PASSWORD });
    await follow((await mails(known))[0]);
    const again = await client().auth.signUp({ email: known, password: "another 1 one" });
    assert.deepEqual([again.error, again.data.user?.identities], [null, []]);
    assert.equal((await client().auth.signInWithPassword({ email: known, password: PASSWORD })).error, null);
  });
});

Deno.test("local auth: a PKCE link has a code that only the requesting client can exchange, once", async () => {
  await withAuth(async ({ client, mails, follow, admin, ask }) => {
    const email = address();
    await admin().createUser({ email, password: PASSWORD, email_confirm: true });
    for (const kind of ["recovery", "magiclink"]) {
      const supabase = client({ flowType: "pkce" });
      const sent = kind === "recovery"
        ? await supabase.auth.resetPasswordForEmail(email, { redirectTo: APP_LINK })
        : await supabase.auth.signInWithOtp({ email, options: { emailRedirectTo: APP_LINK } });
      assert.equal(sent.error, null);
      const target = await follow((await mails(email))[0]);
      assert.equal(target.href.replace(/\?.*$/, ""), APP_LINK);
      assert.deepEqual([target.hash, target.searchParams.has("access_token")], ["", false]);
      const code = target.searchParams.get("code")!;
      assert.notEqual((await client({ flowType: "pkce" }).auth.exchangeCodeForSession(code)).error, null);
      // Another client may send a verifier of its own.
      const guess = await ask("/auth/v1/token?grant_type=pkce", {
        method: "POST",
        headers: {
          apikey: PUBLISHABLE_KEY,
          "content-type": "application/json",
          "x-supabase-api-version": "2024-01-01",
        },
        body: JSON.stringify({ auth_code: code, code_verifier: "v".repeat(56) }),
      });
      assert.deepEqual([guess.status, (await guess.json()).code], [400, "bad_code_verifier"]);
      assert.equal((await supabase.auth.exchangeCodeForSession(code)).data.user?.email, email);
      assert.notEqual((await supabase.auth.exchangeCodeForSession(code)).error, null);
    }
  }, { maxFrequency: 0 });
});

Deno.test("local auth: links redirect only to the site and to the redirect list", async () => {
  await withAuth(async ({ client, mails, follow, admin }) => {
    const email = address();
    await admin().createUser({ email, password: PASSWORD, email_confirm: true });
    const expected = {
      [APP_LINK]: APP_LINK,
      [`${SITE}/deep/link`]: `${SITE}/deep/link`,
      "https://evil.example.org/": `${SITE}/`,
      "https://park.example.com@evil.example.org/": `${SITE}/`,
      "https://park.example.com.evil.example.org/": `${SITE}/`,
      "javascript:alert(1)": `${SITE}/`,
      "parkingx://auth": `${SITE}/`,
    };
    for (const [asked, given] of Object.entries(expected)) {
      await client().auth.resetPasswordForEmail(email, { redirectTo: asked });
      const target = await follow((await mails(email))[0]);
      target.hash = "";
      assert.equal(target.href, given, asked);
    }
  }, { maxFrequency: 0 });
});

Deno.test("local auth: a change of address needs both confirmations, in either order", async () => {
  await withAuth(async ({ client, mails, admin, follow }) => {
    for (const first of ["old", "new"]) {
      const [email, next] = [address(), address()];
      await admin().createUser({ email, password: PASSWORD, email_confirm: true });
      const supabase = client();
      await supabase.auth.signInWithPassword({ email, password: PASSWORD });
      const changed = await supabase.auth.updateUser({ email: next });
      assert.deepEqual([changed.error, changed.data.user?.email, changed.data.user?.new_email], [null, email, next]);
      const [toOld, toNew] = [(await mails(email))[0], (await mails(next))[0]];
      const order = first === "old" ? [toOld, toNew] : [toNew, toOld];
      assert.match((await follow(order[0])).hash, /message=Confirmation\+link\+accepted/);
      assert.equal((await supabase.auth.getUser()).data.user?.email, email);
      assert.equal(tokensOf(await follow(order[1])).get("type"), "email_change");
      assert.equal((await supabase.auth.getUser()).data.user?.email, next);
      assert.equal((await client().auth.signInWithPassword({ email: next, password: PASSWORD })).error, null);
    }
  }, { maxFrequency: 0 });
});

Deno.test("local auth: a second mail of a kind within a minute is rejected with 429", async () => {
  await withAuth(async ({ client, mails, admin }) => {
    const email = address();
    await admin().createUser({ email, password: PASSWORD, email_confirm: true });
    assert.equal((await client().auth.resetPasswordForEmail(email)).error, null);
    const { error } = await client().auth.resetPasswordForEmail(email);
    assert.deepEqual([error?.status, error?.code], [429, "over_email_send_rate_limit"]);
    assert.equal((await mails(email)).length, 1);
    // Nobody learns here who has an account.
    assert.equal((await client().auth.resetPasswordForEmail(address())).error, null);
  });
});

Deno.test("local auth: the service key invites users, and the link of the mail works", async () => {
  await withAuth(async ({ client, mails, admin, follow }) => {
    const invited = address();
    const redirectTo = `${SITE}/console`;
    const { data: { user }, error } = await admin().inviteUserByEmail(invited, { redirectTo, data: { team: "a" } });
    assert.deepEqual([error, user?.email, user?.user_metadata["team"]], [null, invited, "a"]);
    assert.ok(user?.invited_at);
    const [mail] = await mails(invited);
    assert.ok(mail!.link!.startsWith(`${redirectTo}#/link?`), mail!.link!);
    assert.equal(tokensOf(await follow(mail)).get("type"), "invite");
    assert.equal((await admin().inviteUserByEmail(invited)).error?.code, "email_exists");

    const asUser = await client().auth.signUp({ email: address(), password: PASSWORD });
    assert.equal(asUser.error, null);
    assert.equal((await client().auth.admin.inviteUserByEmail(address())).error?.code, "not_admin");
  });
});

Deno.test("local auth: passwords need letters and digits, and an old session needs a code to change one", async () => {
  await withAuth(async ({ client, mails, admin, db }) => {
    for (const password of ["password", "12345678", "short 1"]) {
      const { error } = await client().auth.signUp({ email: address(), password });
      assert.equal(error?.code, "weak_password", password);
    }
    const email = address();
    await admin().createUser({ email, password: PASSWORD, email_confirm: true });
    const supabase = client();
    const { data } = await supabase.auth.signInWithPassword({ email, password: PASSWORD });
    await db.sql`update auth.sessions set created_at = now() - interval '2 days' where user_id = ${data.user!.id}`;
    const refused = await supabase.auth.updateUser({ password: "another 1 one" });
    assert.equal(refused.error?.code, "reauthentication_needed");
    assert.equal((await supabase.auth.reauthenticate()).error, null);
    const wrong = await supabase.auth.updateUser({ password: "another 1 one", nonce: "000000x" });
    assert.equal(wrong.error?.code, "reauthentication_not_valid");
    const nonce = (await mails(email))[0]!.code!;
    assert.equal((await supabase.auth.updateUser({ password: "another 1 one", nonce })).error, null);
    assert.equal(
      (await client().auth.signInWithPassword({ email, password: PASSWORD })).error?.code,
      "invalid_credentials",
    );
  });
});

Deno.test("local auth: sign-in by code creates an account unless the client forbids it, and a code works once", async () => {
  await withAuth(async ({ client, mails }) => {
    const email = address();
    const no = await client().auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
    assert.equal(no.error?.code, "otp_disabled");
    assert.equal((await client().auth.signInWithOtp({ email })).error, null);
    const token = (await mails(email))[0]!.code!;
    assert.equal((await client().auth.verifyOtp({ email, token: "000000", type: "email" })).error?.code, "otp_expired");
    assert.equal((await client().auth.verifyOtp({ email, token, type: "email" })).data.user?.email, email);
    assert.equal((await client().auth.verifyOtp({ email, token, type: "email" })).error?.code, "otp_expired");
  });
});

Deno.test("local auth: codes expire", async () => {
  await withAuth(async ({ client, mails, db, follow }) => {
    const email = address();
    await client().auth.signUp({ email, password: PASSWORD });
    await db.sql`update auth.users set confirmation_sent_at = now() - interval '2 hours' where email = ${email}`;
    const [mail] = await mails(email);
    assert.match((await follow(mail)).hash, /error_code=otp_expired/);
    const late = await client().auth.verifyOtp({ email, token: mail!.code!, type: "signup" });
    assert.equal(late.error?.code, "otp_expired");
  });
});

Deno.test("local auth: every link of a mail names its account, and another client uses it by its hash, once", async () => {
  await withAuth(async ({ client, mails, admin, db }) => {
    const known = address();
    const next = address();
    await admin().createUser({ email: known, password: PASSWORD, email_confirm: true });
    const supabase = client({ flowType: "pkce" });
    await supabase.auth.signInWithPassword({ email: known, password: PASSWORD });
    const [signingUp, invited] = [address(), address()];
    const sent = {
      signup: [signingUp, () => supabase.auth.signUp({ email: signingUp, password: PASSWORD })],
      invite: [invited, () => admin().inviteUserByEmail(invited)],
      recovery: [known, () => supabase.auth.resetPasswordForEmail(known)],
      magiclink: [known, () => supabase.auth.signInWithOtp({ email: known })],
    } as const;
    for (const [type, [email, send]] of Object.entries(sent)) {
      assert.equal((await send()).error, null, type);
      const link = new URLSearchParams((await mails(email))[0]!.link!.split("?")[1]);
      assert.deepEqual([link.get("type"), link.get("email")], [type, email]);
      const token_hash = link.get("token_hash")!;
      assert.equal(token_hash.startsWith("pkce_"), type !== "invite");
      const by = { token_hash, type: type as "signup" };
      assert.equal((await client().auth.verifyOtp(by)).data.session?.user.email, email);
      assert.equal((await client().auth.verifyOtp(by)).error?.code, "otp_expired", type);
    }
    await supabase.auth.signInWithPassword({ email: known, password: PASSWORD });
    await supabase.auth.updateUser({ email: next });
    const verified: unknown[] = [];
    for (const email of [known, next]) {
      const link = new URLSearchParams((await mails(email))[0]!.link!.split("?")[1]);
      assert.deepEqual([link.get("email"), link.get("new_email")], [known, next]);
      const { data, error } = await client().auth.verifyOtp({
        token_hash: link.get("token_hash")!,
        type: "email_change",
      });
      verified.push(error, data.session?.user.email);
    }
    assert.deepEqual(verified, [null, undefined, null, next]);
    const [row] = await db.sql`select count(*)::integer as flows from auth.flow_state where auth_code is not null`;
    assert.equal(row!["flows"], 0);
  }, { maxFrequency: 0 });
});

Deno.test("local auth: templates escape each value for its place", () => {
  const values = { Email: `a+b&"<i>@x.test`, RedirectTo: "parking://auth", SiteURL: "https://x.test/?a=1&b=2" };
  const filled = fill(
    '{{ .Email }}<a href="{{ .SiteURL }}#/link?email={{ .Email }}&amp;to={{ .RedirectTo }}">',
    values,
  );
  assert.equal(
    filled,
    "a+b&amp;&quot;&lt;i&gt;@x.test" +
      '<a href="https://x.test/?a=1&amp;b=2#/link?email=a%2Bb%26%22%3Ci%3E%40x.test&amp;to=parking%3A%2F%2Fauth">',
  );
  assert.equal(firstLink(filled)?.split("&to=")[1], "parking%3A%2F%2Fauth");
  // Go writes no address of another scheme at the beginning of a link.
  assert.equal(fill('<a href="{{ .RedirectTo }}#/link">', values), '<a href="#ZgotmplZ#/link">');
});

Deno.test("local auth: a template that the local platform cannot fill is named", async () => {
  const of = (subject: string) => readTemplate("reauthentication", { subject, content_path: TEMPLATE });
  await of("Code {{ .Token }}");
  await assert.rejects(
    of("{{ .TokenHash }}"),
    /reauthentication uses \{\{ \.TokenHash \}\}\. It has: SiteURL, Email, Token/,
  );
  await assert.rejects(of("{{ if .Token }}x{{ end }}"), /supports \{\{ \.Name \}\} only, not \{\{ if \.Token \}\}/);
});

Deno.test("/_mail: pages escape the mails, and other origins cannot read them", async () => {
  await withAuth(async ({ client, ask, mails }) => {
    assert.match(await (await ask("/_mail")).text(), /No mail yet/);
    const email = `"<b>&x"@example.com`;
    const plain = address();
    await client().auth.signUp({ email: plain, password: PASSWORD });
    const list = await ask("/_mail");
    assert.equal(list.headers.get("access-control-allow-origin"), null);
    assert.match(list.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.ok((await list.text()).includes(plain));
    const [mail] = await mails(plain);
    const page = await (await ask(`/_mail/${mail!.id}`)).text();
    assert.ok(page.includes(mail!.code!) && page.includes(mail!.link!.replaceAll("&", "&amp;")));
    const { Mailbox } = await import("../../local/auth/mailbox.ts");
    const { mailPage } = await import("../../local/auth/mail_page.ts");
    const mailbox = new Mailbox(() => {});
    mailbox.send({ to: email, subject: "<script>", body: "</pre><script>alert(1)</script>" });
    for (const path of ["/_mail", "/_mail/1"]) {
      const url = new URL(path, ORIGIN);
      const text = await (await mailPage(mailbox, new Request(url), url)).text();
      assert.ok(!/<script|<b>/.test(text), text);
    }
    assert.equal((await ask("/_mail/999")).status, 404);
  });
});
