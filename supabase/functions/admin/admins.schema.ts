import { z } from "zod";
import { admins } from "../_shared/db/columns.ts";
import { column } from "../_shared/schema/columns.ts";
import { pageOf, PageQuery } from "../_shared/schema/lists.ts";
import { Id, pathId, Timestamp } from "../_shared/schema/values.ts";

export const AdminArea = z.enum([
  "admins",
  "content",
  "lots",
  "notifications",
  "reviews",
  "rewards",
  "search_presets",
  "store_sync",
  "support",
  "users",
]).meta({
  id: "AdminArea",
  description: "A code of category `admin_area`. Each grants the permission scope `admin:<area>`.",
});

const Status = z.enum(["active", "suspended"]);

const Name = column(admins.name);

const Areas = z.array(AdminArea).max(50);

export const Administrator = z.object({
  id: Id.meta({ description: "Id of the user at the identity provider" }),
  email: z.string().nullable(),
  name: Name,
  status: Status,
  areas: Areas,
  invited_at: Timestamp.nullable().meta({
    description: "When the invitation was sent. Null if the administrator was created without one.",
  }),
  last_sign_in_at: Timestamp.nullable(),
  has_second_factor: z.boolean().meta({ description: "Whether the administrator has enrolled a second factor" }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Administrator" });

export const Administrators = pageOf(Administrator, "Administrators");

export const AdministratorsQuery = z.strictObject({
  status: Status.optional().meta({ description: "Only administrators with this status" }),
  area: AdminArea.optional().meta({ description: "Only administrators with this area" }),
  ...PageQuery.shape,
});

export const AdministratorParams = z.strictObject({ id: pathId("AdministratorId", "The administrator") });

export const NewAdministrator = z.strictObject({
  email: z.email().max(255).meta({
    description: "E-mail address that receives the invitation",
    examples: ["ops@example.com"],
  }),
  name: Name.optional(),
  areas: Areas,
}).meta({ id: "NewAdministrator" });

export const AdministratorUpdate = z.strictObject({
  name: Name.optional(),
  areas: Areas.optional().meta({ description: "The complete new set of areas" }),
}).meta({ id: "AdministratorUpdate" });
