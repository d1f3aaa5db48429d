/** Support tickets: the conversation, an answer and the end. */
import type { ListItem } from "parking-lot-client";
import { label, options } from "../../../codes.ts";
import { dateTime } from "../../../format.ts";
import type { PageProps } from "../../../page.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Queue } from "../../kit/queue.tsx";
import { TicketDetail } from "./ticket_detail.tsx";

const text = consoleTexts(({ tickets }) => tickets);

export function TicketsScreen({ parts }: PageProps) {
  const t = text.value;
  return (
    <Queue
      path="/v1/admin/support-tickets"
      screen="/console/support-tickets"
      id={parts[0]}
      empty={t.empty}
      filters={[
        {
          name: "status",
          label: t.status,
          options: options("ticket_status").filter(([code]) => code !== "open"),
          without: t.waiting,
        },
        { name: "category", label: t.category, options: options("ticket_category") },
      ]}
      line={(ticket) => <TicketLine ticket={ticket} />}
      detail={(id, decided) => <TicketDetail id={id} decided={decided} />}
    />
  );
}

function TicketLine({ ticket }: { ticket: ListItem<"/v1/admin/support-tickets"> }) {
  return (
    <>
      <span class="row">
        <strong>{ticket.subject}</strong>
        <span class="chip">{label("ticket_status", ticket.status)}</span>
      </span>
      <span class="small">
        {ticket.user_name !== null && (
          <>
            <bdi>{ticket.user_name}</bdi>,{" "}
          </>
        )}
        {[label("ticket_category", ticket.category), dateTime(ticket.status_changed_at)].join(", ")}
      </span>
    </>
  );
}
