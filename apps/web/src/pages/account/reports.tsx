/** The errors that the user reported, with what became of them. */
import { label } from "../../codes.ts";
import { date } from "../../format.ts";
import { href } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { PagedList } from "../../ui/paged_list.tsx";

const text = pageTexts(({ account }) => account.reports);

export function MyReports() {
  const t = text.value;
  return (
    <PagedList
      read={(signal) => client.pages("/v1/me/error-reports", { signal })}
      empty={t.nothing}
      keyOf={({ id }) => id}
    >
      {({ parking_lot_id, parking_lot_name, report_type, status, description, created_at }) => (
        <article class="card">
          <p class="account-name">
            {label("error_report_type", report_type)} <span class="chip">{label("error_report_status", status)}</span>
          </p>
          <p class="account-message">{description}</p>
          <p class="small">
            {parking_lot_id === null
              ? parking_lot_name
              : <a href={href(`/lots/${parking_lot_id}`)}>{parking_lot_name ?? t.lot}</a>} · {date(created_at)}
          </p>
        </article>
      )}
    </PagedList>
  );
}
