/** Support tickets: the conversation, an answer and the end. */
import { useMemo, useState } from "preact/hooks";
import type { ResponseBody } from "parking-lot-client";
import type { PageProps } from "../../../page.ts";
import { label, options } from "../../../codes.ts";
import { dateTime, number } from "../../../format.ts";
import { texts } from "../../../language.ts";
import { ErrorNote } from "../../../ui/error_note.tsx";
import { ActionButton, Loaded, useAction } from "../../../ui/load.tsx";
import { client } from "../../kit/access.ts";
import { ChangedNote, type FieldOf } from "../../kit/details.tsx";
import { useEntry } from "../../kit/entry.ts";
import { PersonLink } from "../../kit/links.tsx";
import { Queue } from "../../kit/queue.tsx";

type Ticket = ResponseBody<"/v1/admin/support-tickets/{id}", "get">;

const text = texts({
  en: {
    empty: "No ticket waits for an answer.",
    status: "Status",
    waiting: "Open",
    category: "About",
    messages: "Messages",
    newest: "Newest message",
    conversation: "Conversation",
    file: (n: number) => `File ${n}`,
    answer: "Answer",
    send: "Send the answer",
    answered: "Answered.",
    close: "Close the ticket",
    closed: "Closed.",
    by: "by",
  },
  ja: {
    empty: "回答待ちの問い合わせはありません。",
    status: "状態",
    waiting: "回答待ち",
    category: "種類",
    messages: "メッセージ数",
    newest: "最新のメッセージ",
    conversation: "やり取り",
    file: (n: number) => `ファイル${n}`,
    answer: "回答",
    send: "回答を送る",
    answered: "回答しました。",
    close: "完了にする",
    closed: "完了にしました。",
    by: "利用者:",
  },
});

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
      line={(ticket) => (
        <>
          <span class="row">
            <strong>{ticket.subject}</strong>
            <span class="chip">{label("ticket_status", ticket.status)}</span>
          </span>
          <span class="small">
            {[ticket.user_name, label("ticket_category", ticket.category), dateTime(ticket.status_changed_at)]
              .filter(Boolean).join(", ")}
          </span>
        </>
      )}
      detail={(id, decided) => <TicketDetail id={id} decided={decided} />}
    />
  );
}

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

function TicketDetail({ id, decided }: { id: string; decided: (sentence: string) => void }) {
  const t = text.value;
  const path = { id };
  const entry = useEntry((signal) => readTicket(id, signal), [id]);
  const [message, setMessage] = useState("");
  // The same answer that is sent twice after a lost connection is one answer.
  const key = useMemo(() => crypto.randomUUID(), [message, entry.data]);
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
    <Loaded load={entry}>
      {({ data: ticket }) => (
        <>
          <h2>{ticket.subject}</h2>
          <p class="row">
            <span class="chip">{label("ticket_status", ticket.status)}</span>
            <span>{label("ticket_category", ticket.category)}</span>
            <span>
              {t.by} <PersonLink id={ticket.user_id} name={ticket.user_name} />
            </span>
          </p>
          <Conversation ticket={ticket} />
          {entry.before && <ChangedNote before={entry.before} now={ticket} fields={fields()} />}
          {ticket.status !== "closed" && (
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
                  maxLength={4000}
                  required
                  value={message}
                  onInput={(event) => setMessage(event.currentTarget.value)}
                />
              </label>
              {answer.error !== undefined && <ErrorNote error={answer.error} />}
              <div class="row">
                <button type="submit" class="primary" aria-busy={answer.isRunning}>{t.send}</button>
                {ticket.status === "answered" && <ActionButton perform={close}>{t.close}</ActionButton>}
              </div>
            </form>
          )}
        </>
      )}
    </Loaded>
  );
}

function Conversation({ ticket }: { ticket: Ticket }) {
  const t = text.value;
  return (
    <ol class="list console-conversation" aria-label={t.conversation}>
      {ticket.messages.map((message) => (
        <li key={message.id} class={`card is-${message.author}`}>
          <p class="small">
            {message.author === "support"
              ? message.admin_name ?? label("support_message_author", "support")
              : ticket.user_name ?? label("support_message_author", "user")}, {dateTime(message.created_at)}
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
