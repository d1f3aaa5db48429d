/** Support: a user's tickets, one ticket with its messages, and a new one. */
import { NewSupportMessage, NewSupportTicket } from "../../bounds.ts";
import type { PageProps } from "../../page.ts";
import { label, options } from "../../codes.ts";
import { dateTime } from "../../format.ts";
import { href, navigate } from "../../router.ts";
import { client } from "../../service.ts";
import { pageTexts } from "../../texts/pages.ts";
import { Field, Form, Select, TextArea } from "../../ui/form.tsx";
import { Loaded, useLoad } from "../../ui/load.tsx";
import { PagedList } from "../../ui/paged_list.tsx";

const text = pageTexts(({ account }) => account.support);

export function Support({ parts: [id] }: PageProps) {
  return id === undefined ? <TicketList /> : <TicketPage key={id} id={id} />;
}

function TicketList() {
  const t = text.value;
  return (
    <>
      <h2>{t.create}</h2>
      <Form
        submit={t.send}
        onSubmit={async (values) => {
          const value = (name: string) => String(values.get(name) ?? "");
          const body = { category: value("category"), subject: value("subject"), message: value("message") };
          const { data } = await client.POST("/v1/support/tickets", { body });
          navigate(`/account/support/${data.id}`);
        }}
      >
        <Select name="category" label={t.category} options={options("ticket_category")} />
        <Field name="subject" label={t.subject} {...NewSupportTicket.subject} required />
        <TextArea name="message" label={t.message} rows={4} {...NewSupportTicket.message} required />
      </Form>
      <h2>{t.tickets}</h2>
      <PagedList
        read={(signal) => client.pages("/v1/support/tickets", { signal })}
        empty={t.nothing}
        keyOf={({ id }) => id}
      >
        {({ id, subject, status, updated_at }) => (
          <p class="card">
            <a href={href(`/account/support/${id}`)}>{subject}</a>{" "}
            <span class="chip">{label("ticket_status", status)}</span>
            <span class="small">{dateTime(updated_at)}</span>
          </p>
        )}
      </PagedList>
    </>
  );
}

function TicketPage({ id }: { id: string }) {
  const params = { path: { id }, query: { limit: 100 } };
  const load = useLoad(
    async (signal) => (await client.GET("/v1/support/tickets/{id}", { params, signal })).data,
    [id],
  );
  const t = text.value;
  return (
    <>
      <p>
        <a href={href("/account/support")}>{t.back}</a>
      </p>
      <Loaded load={load}>
        {(ticket) => (
          <>
            <h2>{ticket.subject}</h2>
            <p>
              <span class="chip">{label("ticket_status", ticket.status)}</span>
            </p>
            <ol class="list">
              {ticket.messages.map(({ id, author, body, created_at }) => (
                <li key={id} class="card">
                  <p class="small">{label("support_message_author", author)} · {dateTime(created_at)}</p>
                  <p class="account-message">{body}</p>
                </li>
              ))}
            </ol>
            {/* After a message the form is a new one. */}
            <Form
              key={ticket.updated_at}
              submit={t.send}
              onSubmit={async (values) => {
                const body = { message: String(values.get("message") ?? "") };
                await client.POST("/v1/support/tickets/{id}/messages", { params: { path: { id } }, body });
                load.reload();
              }}
            >
              <TextArea name="message" label={t.answer} rows={3} {...NewSupportMessage.message} required />
            </Form>
          </>
        )}
      </Loaded>
    </>
  );
}
