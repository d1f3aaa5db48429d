import { z } from "zod";
import { app_users } from "../db/columns.ts";
import { column } from "./columns.ts";
import { Lang } from "./codes.ts";
import { Id, Timestamp } from "./values.ts";

export const Me = z.object({
  user_id: Id,
  email: z.string().nullable(),
  app_user: z.object({
    id: Id,
    display_name: z.string().nullable(),
    lang: Lang.meta({ description: "Language of the service's messages to the user" }),
    avatar_url: z.url().nullable().meta({
      description: "URL of the avatar: public, or valid for ten minutes. Null without an avatar.",
    }),
    status: z.enum(["active", "suspended", "withdrawn"]),
    created_at: Timestamp,
  }).nullable().meta({ description: "Null for an administrator who is not an app user" }),
  admin: z.object({
    id: Id,
    name: z.string().nullable(),
    status: z.string().meta({ examples: ["active"] }),
  }).nullable().meta({ description: "Null if the caller is not an administrator" }),
  permission_scopes: z.array(z.string()).meta({
    description: "Permission scopes of the caller: `user`, `premium`, `admin` and `admin:<area>`",
    examples: [["user"]],
  }),
}).meta({ id: "Me", description: "The caller" });

export const MeUpdate = z.strictObject({
  lang: Lang.optional().meta({ description: "Language of notifications. If omitted, it does not change." }),
  display_name: column(app_users.display_name).unwrap().optional().meta({
    description: "If omitted, it does not change",
  }),
  avatar_asset_id: Id.nullable().optional().meta({
    description:
      "A file uploaded with the category `avatar`. The previous file is deleted. Null removes the avatar. If " +
      "omitted, it does not change.",
  }),
}).meta({ id: "MeUpdate" });

/** An account from the database, with the file of its avatar. */
export type StoredMe = Omit<z.input<typeof Me>, "app_user"> & {
  readonly app_user:
    | Omit<NonNullable<z.input<typeof Me>["app_user"]>, "avatar_url"> & {
      readonly avatar: { readonly storage_key: string; readonly is_public: boolean } | null;
    }
    | null;
};

const Rows = z.array(z.record(z.string(), z.unknown()));

export const MyData = z.object({
  exported_at: Timestamp,
  account: Me,
  data: z.record(z.string(), Rows).meta({
    description:
      "All rows that refer to the caller, by table: vehicles, sessions with photos, reviews, reports, tickets and " +
      "others. `auth.users`, `auth.identities` and `auth.sessions` come without passwords and tokens.",
  }),
}).meta({ id: "MyData", description: "All data about the caller" });
