/** The administrators with their areas. */
import { label, options } from "../../codes.ts";
import { dateTime } from "../../format.ts";
import { consoleTexts } from "../../texts/console.ts";
import { Table } from "../kit/table.tsx";

const text = consoleTexts(({ administrators }) => administrators);

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
