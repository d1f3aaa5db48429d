/** Links from one entry of the console to another. Without the area there is only the text. */
import { href } from "../../router.ts";
import { consoleTexts } from "../../texts/console.ts";
import { may } from "./access.ts";
import { nameOf } from "./names.ts";

/** What stands for a name that the service does not give: a part of an id says nothing. */
const unnamed = consoleTexts(({ kit }) => kit.unnamed);

export function UserLink({ id, name }: { id: string | null; name?: string | null }) {
  if (id === null) return <>{name ?? "–"}</>;
  const shown = name ?? nameOf("user", id) ?? unnamed.value.user;
  return may("users") ? <a href={href(`/console/users/${id}`)} title={id}>{shown}</a> : <>{shown}</>;
}

export function LotLink({ id, name }: { id: string | null; name?: string | null }) {
  if (id === null) return <>{name ?? "–"}</>;
  const path = may("lots") ? `/console/parking-lots/${id}` : `/lots/${id}`;
  return <a href={href(path)} title={id}>{name ?? nameOf("lot", id) ?? unnamed.value.lot}</a>;
}

/** An administrator, as a link to their acts. */
export function AdministratorLink({ id }: { id: string }) {
  return (
    <a href={href("/console/activity-logs", { admin_id: id })} title={id}>
      {nameOf("administrator", id) ?? unnamed.value.administrator}
    </a>
  );
}
