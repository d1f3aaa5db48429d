/** The store reports for the function store-sync. */
import type { Config } from "../config.ts";
import { AppStoreConnect } from "./app_store_connect.ts";
import { Refused } from "./calls/errors.ts";
import { PlayReports } from "./play_reports.ts";
import type { StoreName } from "./store.ts";
import type { StoreReports, StoreReportSources } from "./store_reports.ts";

const NOT_CONFIGURED: Readonly<Record<StoreName, string>> = {
  ios_store: "APP_STORE_CONNECT_ISSUER_ID, …_KEY_ID, …_PRIVATE_KEY and …_VENDOR_NUMBER are not set.",
  android_store: "PLAY_PACKAGE_NAME and GOOGLE_SERVICE_ACCOUNT are not set.",
};

/** One of each per process, because they cache their tokens. */
export function storeReports(config: () => Config): StoreReportSources {
  const opened = new Map<StoreName, StoreReports>();
  return {
    of: (store) => {
      const reports = opened.get(store) ?? open(store, config());
      opened.set(store, reports);
      return reports;
    },
  };
}

function open(store: StoreName, { providers: { appStoreConnect, play } }: Config): StoreReports {
  if (store === "ios_store" && appStoreConnect) return new AppStoreConnect(appStoreConnect);
  if (store === "android_store" && play) return new PlayReports(play);
  throw new Refused("not_configured", NOT_CONFIGURED[store]);
}
