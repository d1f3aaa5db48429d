/** The reminder before the fee rises: one of the user's notification preferences. */
import { client } from "./service.ts";

const TYPE = "fee_increase";

/** Whether the service reminds the user. */
export async function remindsBeforeIncrease(signal: AbortSignal): Promise<boolean> {
  const { data } = await client.GET("/v1/me/notification-preferences", { signal });
  const found = data.items.find(({ notif_type }) => notif_type === TYPE);
  return found !== undefined && (found.push_enabled || found.in_app_enabled);
}

export async function remindBeforeIncrease(isOn: boolean): Promise<void> {
  const { data } = await client.GET("/v1/me/notification-preferences");
  const found = data.items.find(({ notif_type }) => notif_type === TYPE);
  if (found === undefined || (found.push_enabled === isOn && found.in_app_enabled === isOn)) return;
  const items = [{ ...found, push_enabled: isOn, in_app_enabled: isOn }];
  await client.PUT("/v1/me/notification-preferences", { body: { items } });
}
