// Mail without a mail service: the preferences say so.
import assert from "node:assert/strict";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { mailSender } from "../../supabase/functions/_shared/providers/mail.ts";
import { readProviderSettings } from "../../supabase/functions/_shared/provider_settings.ts";
import { routes } from "../../supabase/functions/me/routes.ts";
import { token } from "../support/tokens.ts";
import { fakeRest, SECRET } from "./fake_rest.ts";

const USER = "6f1d2c3b-4a59-4c68-8d77-9e8f7a6b5c4d";
const SETTINGS: Readonly<Record<string, string>> = {
  MAIL_API_URL: "https://mail.test",
  MAIL_API_KEY: "re_key",
  MAIL_FROM: "Parking <notifications@parking.test>",
};

for (const [settings, isAvailable] of [[{}, false], [SETTINGS, true]] as const) {
  Deno.test(`notification preferences: with${isAvailable ? "" : "out"} a mail service email_available is ${isAvailable}, in GET and PUT`, async () => {
    await using rest = fakeRest(() => Response.json({ items: [], types: [], quiet_hours: null }));
    const providers = readProviderSettings((name) => (settings as typeof SETTINGS)[name], []);
    const app = createApp(routes, { config: () => ({ ...rest.config, providers }), mail: mailSender, log: () => {} });
    const headers = { authorization: `Bearer ${token(USER, { secret: SECRET })}`, "content-type": "application/json" };
    const item = { notif_type: "campaign", push_enabled: true, in_app_enabled: true, email_enabled: false };
    for (const init of [{ headers }, { method: "PUT", headers, body: JSON.stringify({ items: [item] }) }]) {
      const response = await app.fetch(new Request("http://functions.test/me/notification-preferences", init));
      assert.equal((await response.json()).email_available, isAvailable);
    }
  });
}
