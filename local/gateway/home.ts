// `/`: where everything is, for people as a page and for programs as JSON.
import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { VERSION } from "../../supabase/functions/_shared/config.ts";
import { SAMPLE_PASSWORD, type SamplePerson } from "../../tools/seed/people/sample_people.ts";
import { PUBLISHABLE_KEY } from "../settings.ts";
import { html, page } from "./page.ts";

const NAME = "Parking lot service";
const DESCRIPTION = "The backend of a parking app, running on this machine for development.";

const LINKS: readonly (readonly [name: string, path: string, text: string, note: string])[] = [
  ["explorer", "/explore/", "Explorer", "the web application: search, fees, sessions, account, console"],
  ["docs", "/docs/", "Documentation", "guides, and the reference of every operation"],
  ["contract", "/v1/openapi", "Contract", "every request and response, OpenAPI 3.1"],
  ["errors", "/v1/openapi/errors", "Errors", "every error code, with its remedy"],
  ["mails", "/_mail", "Mails", "what the service sent; nothing leaves this machine"],
  ["health", "/v1/health/ready", "Health", "whether the service and its database are ready"],
];

/** Requests to begin with, for a shell. */
export function sampleRequests(origin: string): string[] {
  return [
    `curl ${origin}/v1/health`,
    `curl '${origin}/v1/parking-lots/nearby?lat=35.6812&lng=139.7671'`,
    `curl ${origin}/auth/v1/signup -H 'apikey: ${PUBLISHABLE_KEY}' ` +
    `-d '{"email":"driver-'$(date +%s)'@example.com","password":"password 1"}'`,
  ];
}

/** Responds at `/`. `people`: the sample people of this platform, once they are there. */
export function homePage(people: () => readonly SamplePerson[]): (request: Request) => Response | Promise<Response> {
  const app = new Hono();
  app.get("/", async (context) => {
    const { origin } = new URL(context.req.url);
    const type = accepts(context, {
      header: "Accept",
      supports: ["text/html", "application/json"],
      default: "application/json",
    });
    const response = type === "text/html" ? await asPage(origin, people()) : Response.json(asJson(origin, people()));
    response.headers.set("vary", "Accept");
    return response;
  });
  return (request) => app.fetch(new Request(request, { method: "GET" })); // the server drops the body for HEAD
}

function asJson(origin: string, people: readonly SamplePerson[]) {
  return {
    name: NAME,
    version: VERSION,
    description: DESCRIPTION,
    links: Object.fromEntries(LINKS.map(([name, path]) => [name, origin + path])),
    keys: { publishable: PUBLISHABLE_KEY },
    sample_people: people.map(({ email, name, description }) => ({
      email,
      name,
      description,
      password: SAMPLE_PASSWORD,
    })),
  };
}

function asPage(origin: string, people: readonly SamplePerson[]): Promise<Response> {
  const signIn = html`
    <h2>Sign in</h2>
    <p>These people have a history. Each has the password <code>${SAMPLE_PASSWORD}</code>.</p>
    <ul>${people.map(({ email, name, description }) =>
      html`<li><strong>${email}</strong> <small>${name}: ${description}</small></li>`
    )}</ul>
  `;
  return page(
    NAME,
    html`
      <p>${DESCRIPTION} Version ${VERSION}.</p>
      <ul>${LINKS.map(([, path, text, note]) =>
        html`<li><a href="${path}">${text}</a> <small>${note}</small></li>`
      )}</ul>
      ${people.length === 0 ? "" : signIn}
      <h2>Key</h2>
      <label>Publishable key: header apikey of clients <input readonly value="${PUBLISHABLE_KEY}"></label>
      <h2>Three requests</h2>
      ${sampleRequests(origin).map((request) => html`<pre><code>${request}</code></pre>`)}
      <p>A click on a request selects it. <code>task status</code> prints all addresses and keys, also the secret key.</p>
    `,
  );
}
