// The stand-ins of the AI gateway and of the geocoders, as tests script them and look at what they received.

import type { ModelAnswer } from "../../supabase/functions/_shared/ai_search/prompt.ts";

/** What a model answers to a text in which it found nothing but a search. */
export const NOTHING_FOUND = {
  is_parking_search: true,
  place: null,
  near_me: false,
  entry_at: null,
  exit_at: null,
  max_price: null,
  attributes: [],
  vehicle_type: null,
  height_m: null,
  width_m: null,
  length_m: null,
  weight_t: null,
  radius_m: null,
  sort: null,
  assumptions: [],
  confidence: 0.9,
} satisfies ModelAnswer;

function address(name: "ai" | "geocoder"): string {
  const url = Deno.env.get("PROVIDERS_URL");
  if (!url) throw new Error("PROVIDERS_URL is not set: run the tests with `deno task test`");
  return `${url}/control/${name}`;
}

async function script(name: "ai" | "geocoder", control: unknown): Promise<void> {
  const response = await fetch(address(name), { method: "POST", body: JSON.stringify(control) });
  if (!response.ok) throw new Error(`/control/${name} answers ${response.status}: ${await response.text()}`);
}

/** What each model answers, one after another; the last answer stays. */
export const scriptModels = (models: Record<string, readonly unknown[]>) => script("ai", { reset: true, models });

export interface ReceivedByModel {
  readonly model: string;
  readonly authorization: string;
  readonly body: { readonly messages: readonly { readonly role: string; readonly content: string }[] };
}

export async function receivedByModels(): Promise<readonly ReceivedByModel[]> {
  return (await (await fetch(address("ai"))).json()).requests;
}

export const scriptGeocoder = (control: unknown) => script("geocoder", control);

export async function receivedByGeocoder(): Promise<readonly { readonly text: string; readonly at: string }[]> {
  return (await (await fetch(address("geocoder"))).json()).requests;
}
