/** Links from one entry of the console to another. Without the area there is only the text. */
import { href } from "../../router.ts";
import { may } from "./access.ts";

const short = (id: string) => id.slice(0, 8);

export function UserLink({ id, name }: { id: string | null; name?: string | null }) {
  if (id === null) return <>{name ?? "–"}</>;
  return may("users") ? <a href={href(`/console/users/${id}`)}>{name ?? short(id)}</a> : <>{name ?? short(id)}</>;
}

export function LotLink({ id, name }: { id: string | null; name?: string | null }) {
  if (id === null) return <>{name ?? "–"}</>;
  const path = may("lots") ? `/console/parking-lots/${id}` : `/lots/${id}`;
  return <a href={href(path)}>{name ?? short(id)}</a>;
}
