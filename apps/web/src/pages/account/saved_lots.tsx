/** The lots that a user saved. */
import { useState } from "preact/hooks";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { ActionButton } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";

const text = pageTexts(({ account }) => account.savedLots);

export function SavedLots() {
  const [changes, setChanges] = useState(0);
  const t = text.value;
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/saved-parking-lots", { signal })}
      inputs={[changes]}
      empty={t.nothing}
      keyOf={({ id }) => id}
    >
      {({ parking_lot_id, parking_lot }) => (
        <div class="card row">
          {parking_lot
            ? (
              <span class="account-lot">
                <a href={href(`/lots/${parking_lot_id}`)}>{parking_lot.name}</a>
                <br />
                <span class="small">{parking_lot.address}</span>
              </span>
            )
            : <span class="account-lot">{t.gone}</span>}
          <ActionButton
            perform={async () => {
              const params = { path: { lotId: parking_lot_id } };
              await client.DELETE("/v1/me/saved-parking-lots/{lotId}", { params });
              setChanges((n) => n + 1);
            }}
          >
            {t.remove}
          </ActionButton>
        </div>
      )}
    </PagedList>
  );
}
