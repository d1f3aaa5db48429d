import { ApiError } from "../_shared/errors.ts";
import { route, routesOf } from "../_shared/http/route.ts";
import { AppleAppSiteAssociation, AssetLinks } from "./well_known.schema.ts";

export const readAppleAssociation = route({
  method: "GET",
  path: "/well-known/apple-app-site-association",
  access: "public",
  summary: "Get the iOS app links of this site",
  description: "Apple reads it at `/.well-known/apple-app-site-association`. Returns 404 if no iOS app is configured.",
  reply: [200, AppleAppSiteAssociation],
  errors: ["not_found"],
  cache: { scope: "public", maxAge: 3600 },
  handle: ({ apps }) => {
    if (apps.appleAppIds.length === 0) {
      throw new ApiError("not_found", { message: "No iOS app is configured for this service (APPLE_APP_IDS)." });
    }
    const appIDs = [...apps.appleAppIds];
    const components = apps.linkPaths.map((path) => ({ "/": path }));
    return { applinks: { details: [{ appIDs, components }] }, webcredentials: { apps: appIDs } };
  },
});

export const readAssetLinks = route({
  method: "GET",
  path: "/well-known/assetlinks.json",
  access: "public",
  summary: "Get the Android app links of this site",
  description: "Google reads it at `/.well-known/assetlinks.json`. Returns 404 if no Android app is configured.",
  reply: [200, AssetLinks],
  errors: ["not_found"],
  cache: { scope: "public", maxAge: 3600 },
  handle: ({ apps: { android } }) => {
    if (android === null) {
      throw new ApiError("not_found", {
        message: "No Android app is configured for this service (ANDROID_PACKAGE, ANDROID_CERT_FINGERPRINTS).",
      });
    }
    return [{
      relation: ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
      target: {
        namespace: "android_app",
        package_name: android.packageName,
        sha256_cert_fingerprints: [...android.certFingerprints],
      },
    }];
  },
});

export const routes = routesOf({ readAppleAssociation, readAssetLinks });
