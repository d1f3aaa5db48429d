/** The mark of a purchase in the sandbox of a store, which nobody pays for and no figure counts. */
import { label } from "../../codes.ts";

export function SandboxMark({ environment }: { environment: "Production" | "Sandbox" }) {
  return environment === "Sandbox" ? <span class="chip">{label("iap_environment", environment)}</span> : null;
}
