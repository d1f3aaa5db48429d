/** The administrators with their areas: invite one, change the areas, suspend, and reset the second factor. */
import type { PageProps } from "../../page.ts";
import { label, options } from "../../codes.ts";
import { dateTime } from "../../format.ts";
import { consoleTexts } from "../../texts/console.ts";
import { me } from "../kit/access.ts";
import { call, type Operation } from "../kit/contract.ts";
import { type Choice, Decision } from "../kit/decision.tsx";
import { Details } from "../kit/details.tsx";
import { actOn, type Entry } from "../kit/entry.ts";
import { type Item, type Resource, ResourceLink, ResourceView } from "../kit/resource.tsx";
import { rereadLists, Table } from "../kit/table.tsx";

const text = consoleTexts(({ administrators }) => administrators);

const ADMINISTRATORS: Resource = {
  screen: "/console/admins",
  read: "GET /v1/admin/admins/{id}",
  create: "POST /v1/admin/admins",
  change: "PATCH /v1/admin/admins/{id}",
  titleOf: ({ name, email }) => String(name ?? email ?? "–"),
  acts: (entry) => <AdministratorActs entry={entry} />,
};

export function AdministratorsScreen({ parts }: PageProps) {
  return <ResourceView resource={ADMINISTRATORS} parts={parts} list={<AdministratorList />} />;
}

function AdministratorList() {
  const t = text.value;
  return (
    <Table
      path="/v1/admin/admins"
      filters={[
        { name: "status", label: t.status, options: options("admin_status") },
        { name: "area", label: t.area, options: options("admin_area") },
      ]}
      columns={[
        { head: t.name, cell: (item) => <ResourceLink resource={ADMINISTRATORS} item={item} /> },
        { head: t.areas, cell: ({ areas }) => areas.map((area) => label("admin_area", area)).join(", ") },
        { head: t.status, cell: ({ status }) => <span class="chip">{label("admin_status", status)}</span> },
        { head: t.email, cell: ({ email }) => email },
        { head: t.secondFactor, cell: ({ has_second_factor }) => has_second_factor ? t.enrolled : t.notEnrolled },
        { head: t.lastSignIn, cell: ({ last_sign_in_at }) => last_sign_in_at && dateTime(last_sign_in_at) },
      ]}
    />
  );
}

/** The service keeps administrators from suspending themselves. */
function AdministratorActs({ entry }: { entry: Entry<Item> }) {
  const t = text.value;
  const { data } = entry.data!;
  const act = (name: string, done: string, operation: Operation, kind?: Choice["kind"]): Choice => ({
    name,
    ...(kind ? { kind } : {}),
    needsReason: true,
    perform: async (reason) => {
      await actOn(entry, done, (seen) => call(operation, { path: { id: String(seen.data["id"]) }, body: { reason } }));
      rereadLists();
    },
  });
  const reset = act(t.reset, t.resetDone, "POST /v1/admin/admins/{id}/reset-second-factor");
  const choices = [
    data["status"] === "active"
      ? act(t.suspend, t.suspended, "POST /v1/admin/admins/{id}/suspend", "danger")
      : act(t.reactivate, t.reactivated, "POST /v1/admin/admins/{id}/reactivate", "primary"),
    ...(data["has_second_factor"] === true ? [reset] : []),
  ];
  return (
    <>
      <Details
        data={data}
        fields={[
          { label: t.email, show: ({ email }) => String(email ?? "–") },
          { label: t.status, show: ({ status }) => label("admin_status", String(status)) },
          {
            label: t.secondFactor,
            show: ({ has_second_factor }) => has_second_factor === true ? t.enrolled : t.notEnrolled,
          },
          { label: t.invited, show: ({ invited_at }) => timeOf(invited_at) },
          { label: t.lastSignIn, show: ({ last_sign_in_at }) => timeOf(last_sign_in_at) },
        ]}
      />
      {data["id"] === me.value?.admin?.id
        ? <p class="small">{t.yourself}</p>
        : <Decision reason={t.reason} hint={t.reasonHint} choices={choices} />}
    </>
  );
}

const timeOf = (time: unknown) => typeof time === "string" ? dateTime(time) : null;
