// Stand-ins for the companies that the service depends on: they speak the wire protocols of the originals and are as strict.
// Keys and accounts are made at start. /control scripts the answers and shows what was received.
import { isFromOtherOrigin, isOwnHost } from "../gateway/hosts.ts";
import { AiModels } from "./ai_gateway.ts";
import { AppStoreStandIn } from "./app_store.ts";
import { Fcm } from "./fcm.ts";
import { Geocoders } from "./geocoder.ts";
import { GoogleAccounts } from "./google.ts";
import { GooglePlay } from "./google_play.ts";
import { MailService, type ReceivedMail } from "./mail.ts";
import { StoreReports } from "./store_reports.ts";

export interface Providers {
  readonly url: string;
  /** The settings that point the functions at the stand-ins. */
  readonly environment: Readonly<Record<string, string>>;
  /** The same for the AI gateway, whose models answer nothing that is not scripted. */
  readonly aiEnvironment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface ProviderOptions {
  /** Where the App Store sends its notifications; without it, only where each request says. */
  readonly functionsUrl?: string;
  /** Receives each mail that the mail service accepts. */
  readonly onMail?: (mail: ReceivedMail) => void;
}

export async function startProviders({ functionsUrl, onMail = () => {} }: ProviderOptions = {}): Promise<Providers> {
  const handlers = new Map<string, (request: Request, rest: string) => Promise<Response>>();
  const stopping = new AbortController();
  const listening = { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stopping.signal };
  const server = Deno.serve(listening, (request) => {
    const url = new URL(request.url);
    // Only programs call the stand-ins.
    if (!isOwnHost(url, "127.0.0.1")) return new Response(null, { status: 421 });
    if (isFromOtherOrigin(request, url)) return new Response(null, { status: 403 });
    const { pathname } = url;
    for (const [prefix, handle] of handlers) {
      if (`${pathname}/`.startsWith(`${prefix}/`)) return handle(request, pathname.slice(prefix.length));
    }
    return new Response(null, { status: 404 });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const accounts = await GoogleAccounts.make(`${url}/google/token`);
  const fcm = new Fcm(accounts);
  const play = new GooglePlay(accounts, functionsUrl && `${functionsUrl}/store-notifications/google-play`);
  const appStore = await AppStoreStandIn.make(functionsUrl && `${functionsUrl}/store-notifications/app-store`);
  const ai = new AiModels();
  const geocoders = new Geocoders();
  handlers.set("/ai", (request, rest) => ai.handle(request, rest));
  handlers.set("/control/ai", (request) => ai.control(request));
  handlers.set("/geocoder", (request, rest) => geocoders.handle(request, rest));
  handlers.set("/control/geocoder", (request) => geocoders.control(request));
  handlers.set("/app-store/production", (request, rest) => appStore.handle("Production", request, rest));
  handlers.set("/app-store/sandbox", (request, rest) => appStore.handle("Sandbox", request, rest));
  handlers.set("/control/app-store", (request) => appStore.control(request));
  const mail = new MailService(onMail);
  const reports = await StoreReports.make(accounts, url);
  handlers.set("/google/token", (request) => accounts.token(request));
  handlers.set("/google/certs", () => play.certificates());
  handlers.set("/fcm", (request, rest) => fcm.handle(request, rest));
  handlers.set("/control/fcm", (request) => fcm.control(request));
  handlers.set(
    "/google-play",
    (request, rest) => rest.endsWith("/reviews") ? reports.publisher(request, rest) : play.handle(request, rest),
  );
  handlers.set("/control/google-play", (request) => play.control(request));
  handlers.set("/mail", (request, rest) => mail.handle(request, rest));
  handlers.set("/control/mail", (request) => mail.control(request));
  handlers.set("/app-store-connect", (request, rest) => reports.connect(request, rest));
  handlers.set("/analytics-segments", (request, rest) => reports.segment(request, rest));
  handlers.set("/play-reporting", (request, rest) => reports.reporting(request, rest));
  handlers.set("/play-storage", (request, rest) => reports.storage(request, rest));
  handlers.set("/control/store-reports", (request) => reports.control(request));
  return {
    url,
    environment: {
      ...reports.environment,
      GOOGLE_SERVICE_ACCOUNT: accounts.keyFile,
      FCM_PROJECT_ID: Fcm.PROJECT,
      FCM_API_URL: `${url}/fcm`,
      PLAY_PACKAGE_NAME: GooglePlay.PACKAGE,
      PLAY_API_URL: `${url}/google-play`,
      PLAY_NOTIFICATIONS_AUDIENCE: GooglePlay.AUDIENCE,
      PLAY_NOTIFICATIONS_ACCOUNT: GooglePlay.NOTIFIER,
      GOOGLE_JWKS_URL: `${url}/google/certs`,
      GEOCODER: "gsi",
      GEOCODER_URL: `${url}/geocoder`,
      ...appStore.environment(`${url}/app-store`),
      MAIL_API_URL: `${url}/mail`,
      MAIL_API_KEY: mail.key,
      MAIL_FROM: MailService.FROM,
    },
    aiEnvironment: {
      AI_GATEWAY_URL: `${url}/ai`,
      AI_GATEWAY_KEY: AiModels.KEY,
      AI_MODELS: AiModels.MODELS.join(),
    },
    stop: async () => {
      stopping.abort(); // without the answers that a script delays
      await server.finished;
    },
  };
}
