/** The administrators with their areas. */
import { label, options } from "../../codes.ts";
import { dateTime } from "../../format.ts";
import { texts } from "../../language.ts";
import { Table } from "../kit/table.tsx";

const text = texts({
  en: {
    name: "Name",
    email: "Mail address",
    areas: "Areas",
    area: "Area",
    status: "Status",
    lastSignIn: "Last sign-in",
  },
  ja: {
    name: "名前",
    email: "メールアドレス",
    areas: "担当範囲",
    area: "担当範囲",
    status: "状態",
    lastSignIn: "最終ログイン",
  },
});

export function AdministratorsScreen() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/admins"
      filters={[
        { name: "status", label: t.status, options: options("admin_status") },
        { name: "area", label: t.area, options: options("admin_area") },
      ]}
      columns={[
        { head: t.name, cell: ({ name }) => name },
        { head: t.email, cell: ({ email }) => email },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("admin_status", status)}</span> },
        { head: t.areas, cell: ({ areas }) => areas.map((area) => label("admin_area", area)).join(", ") },
        { head: t.lastSignIn, cell: ({ last_sign_in_at }) => last_sign_in_at && dateTime(last_sign_in_at) },
      ]}
    />
  );
}
