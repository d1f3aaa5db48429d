// Writes rows of the published tables.
import postgres, { type ParameterOrJSON, type Sql } from "postgres";
import { stack } from "../support/stack.ts";

type Columns = Record<string, ParameterOrJSON<never>>;

/** Connected as the owner of the schema. */
export function connect(): Sql {
  return postgres(stack().dbUrl, { max: 2, onnotice: () => {} });
}

export async function notify(sql: Sql, user: string | null, columns: Columns = {}): Promise<string> {
  const row = {
    id: crypto.randomUUID(),
    user_id: user,
    type: "announcement",
    title: "Title",
    body: "Body",
    target: user === null ? "all" : "user",
    status: "sent",
    sent_at: new Date(),
    ...columns,
  };
  await sql`insert into public.user_notifications ${sql(row)}`;
  return row.id;
}

export async function notifyAdmins(sql: Sql, columns: Columns = {}): Promise<string> {
  const row = { id: crypto.randomUUID(), title: "Title", ...columns };
  await sql`insert into public.admin_notifications ${sql(row)}`;
  return row.id;
}

export async function logActivity(sql: Sql, user: string): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into public.user_activity_logs (id, user_id, activity_type, subject_id)
    values (${id}, ${user}, 'support_ticket_post', gen_random_uuid())`;
  return id;
}
