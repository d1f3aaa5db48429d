/** App users: search, and the page of a user with suspension and premium. */
import type { ListItem } from "parking-lot-client";
import { label, options } from "../../../codes.ts";
import { date, dateTime } from "../../../format.ts";
import type { PageProps } from "../../../page.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { Table } from "../../kit/table.tsx";
import { SCREEN, UserDetail } from "./user_detail.tsx";

const text = consoleTexts(({ users }) => users);

type Row = ListItem<"/v1/admin/users">;

export function UsersScreen({ parts: [id] }: PageProps) {
  return id === undefined ? <UserList /> : <UserDetail key={id} id={id} />;
}

function UserList() {
  const t = text.value;
  const nameOf = ({ display_name, email, id }: Row) => display_name ?? email ?? id.slice(0, 8);
  return (
    <Table
      path="/v1/admin/users"
      empty={t.empty}
      filters={[
        { name: "email", label: t.email },
        { name: "display_name", label: t.name },
        { name: "status", label: t.status, options: options("app_user_status") },
        { name: "premium", label: t.premium, options: [["true", t.yes], ["false", t.no]] },
      ]}
      columns={[
        { head: t.name, cell: (user) => <a href={href(`${SCREEN}/${user.id}`)}>{nameOf(user)}</a> },
        { head: t.email, cell: ({ email }) => email },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("app_user_status", status)}</span> },
        { head: t.premium, cell: ({ is_premium }) => is_premium ? t.yes : t.no },
        { head: t.created, cell: ({ created_at }) => date(created_at) },
        { head: t.lastSignIn, cell: ({ last_sign_in_at }) => last_sign_in_at && dateTime(last_sign_in_at) },
      ]}
    />
  );
}
