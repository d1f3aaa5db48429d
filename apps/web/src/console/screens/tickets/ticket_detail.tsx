/** A ticket with its conversation and the answer. */
import { useMemo, useState } from "preact/hooks";
import type { ResponseBody } from "parking-lot-client";
import { NewSupportAnswer } from "../../../bounds.ts";
import { label } from "../../../codes.ts";
import { dateTime, number } from "../../../format.ts";
import { newKey } from "../../../keys.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { ErrorNote } from "../../../ui/error_note.tsx";
import { ActionButton, Loaded, useAction } from "../../../ui/load.tsx";
import { limited } from "../../../ui/validity.ts";
import { client } from "../../kit/access.ts";
import { ChangedNote, type FieldOf } from "../../kit/details.tsx";
import { type Entry, useEntry } from "../../kit/entry.ts";
import { UserLink } from "../../kit/links.tsx";

const text = consoleTexts(({ tickets }) => tickets);

type Ticket = ResponseBody<"/v1/admin/support-tickets/{id}", "get">;

/** A ticket with all of its messages. */
async function readTicket(id: string, signal: AbortSignal) {
  const page = (cursor: string | null) =>
    client.GET("/v1/admin/support-tickets/{id}", {
      params: { path: { id }, query: { limit: 100, ...(cursor === null ? {} : { cursor }) } },
      signal,
    });
  const { data: ticket, response } = await page(null);
  let cursor = ticket.next_cursor;
  while (cursor !== null) {
    const { data } = await page(cursor);
    ticket.messages.push(...data.messages);
    cursor = data.next_cursor;
  }
  return { data: ticket, response };
}

function fields(): FieldOf<Ticket>[] {
  const t = text.value;
  return [
    { label: t.status, show: ({ status }) => label("ticket_status", status) },
    { label: t.messages, show: ({ message_count }) => number(message_count) },
    { label: t.newest, show: ({ messages }) => messages.at(-1)?.body },
  ];
}

export function TicketDetail({ id, decided }: { id: string; decided: (sentence: string) => void }) {
  const t = text.value;
  const entry = useEntry((signal) => readTicket(id, signal), [id]);
  // It stays while the ticket is read again.
  const [message, setMessage] = useState("");
  return (
    <Loaded load={entry}>
      {({ data: ticket }) => (
        <>
          <h2>{ticket.subject}</h2>
          <p class="row">
            <span class="chip">{label("ticket_status", ticket.status)}</span>
            <span>{label("ticket_category", ticket.category)}</span>
            <span>
              {t.by} <UserLink id={ticket.user_id} name={ticket.user_name} />
            </span>
          </p>
          <TicketConversation ticket={ticket} />
          {entry.before && <ChangedNote before={entry.before} now={ticket} fields={fields()} />}
          {ticket.allowed_statuses.length > 0 && (
            <TicketAnswer entry={entry} ticket={ticket} message={message} onInput={setMessage} decided={decided} />
          )}
        </>
      )}
    </Loaded>
  );
}

function TicketAnswer(
  { entry, ticket, message, onInput, decided }: {
    entry: Entry<Ticket>;
    ticket: Ticket;
    message: string;
    onInput: (message: string) => void;
    decided: (sentence: string) => void;
  },
) {
  const t = text.value;
  const path = { id: ticket.id };
  // The same answer that is sent twice after a lost connection is one answer.
  const key = useMemo(() => newKey(), [message, ticket]);
  const answer = useAction(async () => {
    const outcome = await entry.change(({ data }) =>
      client.POST("/v1/admin/support-tickets/{id}/messages", {
        params: { path, header: { "Idempotency-Key": key } },
        body: { message: message.trim(), seen_updated_at: data.updated_at },
      })
    );
    if (outcome === "done") decided(t.answered);
  });
  const close = async () => {
    const outcome = await entry.change(({ data }) =>
      client.PATCH("/v1/admin/support-tickets/{id}", {
        params: { path },
        body: { status: "closed", seen_updated_at: data.updated_at },
      })
    );
    if (outcome === "done") decided(t.closed);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void answer.run();
      }}
    >
      <label class="field">
        <span>{t.answer}</span>
        <textarea
          rows={5}
          {...limited(NewSupportAnswer.message)}
          required
          value={message}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </label>
      {answer.error !== undefined && <ErrorNote error={answer.error} />}
      <div class="row">
        <button type="submit" class="primary" aria-busy={answer.isRunning}>{t.send}</button>
        {ticket.allowed_statuses.includes("closed") && <ActionButton perform={close}>{t.close}</ActionButton>}
      </div>
    </form>
  );
}

function TicketConversation({ ticket }: { ticket: Ticket }) {
  const t = text.value;
  return (
    <ol class="list console-conversation" aria-label={t.conversation}>
      {ticket.messages.map((message) => (
        <li key={message.id} class={`card is-${message.author}`}>
          <p class="small">
            <bdi>
              {message.author === "support"
                ? message.admin_name ?? label("support_message_author", "support")
                : ticket.user_name ?? label("support_message_author", "user")}
            </bdi>, {dateTime(message.created_at)}
          </p>
          <p class="console-text">{message.body}</p>
          {message.attachment_urls.map((url, index) => (
            <p key={url}>
              <a href={url} target="_blank" rel="noopener">{t.file(index + 1)}</a>
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}
