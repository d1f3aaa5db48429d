/** App users: search, and the page of a user with suspension and premium. */
import type { ListItem } from "parking-lot-client";
import { label, options } from "../../../codes.ts";
import { date, dateTime } from "../../../format.ts";
import type { PageProps } from "../../../page.ts";
import { href } from "../../../router.ts";
import { consoleTexts } from "../../../texts/console.ts";
import { client } from "../../kit/access.ts";
import { Table } from "../../kit/table.tsx";
import { SCREEN, UserDetail } from "./user_detail.tsx";

const text = consoleTexts(({ users }) => users);
const unnamed = consoleTexts(({ kit }) => kit.unnamed);

type Row = ListItem<"/v1/admin/users">;

export function UsersScreen({ parts: [id] }: PageProps) {
  return id === undefined ? <UserList /> : <UserDetail key={id} id={id} />;
}

/** The version that the list shows: a user whom somebody else has changed since stays as they are. */
const seen = ({ id, updated_at }: Row) => ({ path: { id }, header: { "If-Match": JSON.stringify(updated_at) } });

function UserList() {
  const t = text.value;
  const nameOf = ({ display_name, email }: Row) => display_name ?? email ?? unnamed.value.user;
  return (
    <Table
      path="/v1/admin/users"
      empty={t.empty}
      several={{
        idOf: ({ id }) => id,
        nameOf,
        acts: [
          {
            name: t.suspend,
            kind: "danger",
            needsReason: true,
            isFor: ({ status }) => status === "active",
            perform: (user, reason) =>
              client.POST("/v1/admin/users/{id}/suspend", { params: seen(user), body: { reason } }),
          },
          {
            name: t.reactivate,
            kind: "primary",
            needsReason: true,
            isFor: ({ status }) => status === "suspended",
            perform: (user, reason) =>
              client.POST("/v1/admin/users/{id}/reactivate", { params: seen(user), body: { reason } }),
          },
        ],
      }}
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
