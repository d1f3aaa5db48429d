/** The way to the lot, in the map application that the driver has. */
import { useState } from "preact/hooks";
import { pageTexts } from "../../texts/pages.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { Lot } from "./lot.ts";
import { routesTo } from "./routes.ts";

const text = pageTexts(({ lot }) => lot.navigateButton);

export function NavigateButton({ lot }: { lot: Lot }) {
  const [isOpen, setIsOpen] = useState(false);
  const t = text.value;
  if (lot.lat === null || lot.lng === null) return null;
  const routes = routesTo(lot.lat, lot.lng, lot.name ?? "");
  return (
    <>
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>{t.navigate}</button>
      {isOpen && (
        <Dialog title={t.title} onClose={() => setIsOpen(false)}>
          <ul class="lot-routes">
            {(["google", "apple", "device"] as const).map((app) => (
              <li key={app}>
                <a
                  class="button"
                  href={routes[app]}
                  target="_blank"
                  rel="noopener noreferrer"
                  onClick={() => setIsOpen(false)}
                >
                  {t.apps[app]}
                </a>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
