/** The providers for handlers, by their names in handlers and in `createApp`. */
import type { AiGateway } from "./ai_gateway.ts";
import type { AppStore } from "./app_store.ts";
import type { ContractDocuments } from "./contract_documents.ts";
import type { PushSender } from "./fcm.ts";
import type { Geocoder } from "./geocoder.ts";
import type { GooglePlay } from "./google_play.ts";
import type { IdentityProvider } from "./identity_provider.ts";
import type { MailSender } from "./mail.ts";
import type { ObjectStorage } from "../storage/object_storage.ts";
import type { StoreReportSources } from "./store_reports.ts";

export interface Providers {
  readonly storage: ObjectStorage;
  readonly identity: IdentityProvider;
  readonly push: PushSender;
  readonly mail: MailSender;
  readonly appStore: AppStore;
  readonly googlePlay: GooglePlay;
  readonly storeReports: StoreReportSources;
  readonly ai: AiGateway;
  readonly geocoder: Geocoder;
  readonly contract: ContractDocuments;
}

export type ProviderName = keyof Providers;

export const PROVIDER_NAMES: readonly ProviderName[] = [
  "storage",
  "identity",
  "push",
  "mail",
  "appStore",
  "googlePlay",
  "storeReports",
  "ai",
  "geocoder",
  "contract",
];
