import { z } from "zod";
import { Lang } from "./codes.ts";
import { Id, text, Timestamp } from "./values.ts";

export const Me = z.object({
  user_id: Id,
  email: z.string().nullable(),
  app_user: z.object({
    id: Id,
    display_name: z.string().nullable(),
    lang: Lang.meta({ description: "The language that the service writes to the user in" }),
    avatar_url: z.url().nullable().meta({
      description:
        "Where the avatar is read: its public address, or one that is good for ten minutes. Null without one",
    }),
    status: z.enum(["active", "suspended", "withdrawn"]),
    created_at: Timestamp,
  }).nullable().meta({ description: "Null for an administrator who is not an end user" }),
  admin: z.object({
    id: Id,
    name: z.string().nullable(),
    status: z.string().meta({ examples: ["active"] }),
  }).nullable().meta({ description: "Null for everybody who is not an administrator" }),
  permission_scopes: z.array(z.string()).meta({
    description: "`user`, `premium`, `admin` and `admin:<area>`: what the caller may do",
    examples: [["user"]],
  }),
}).meta({ id: "Me", description: "The caller" });

export const MeUpdate = z.strictObject({
  lang: Lang.optional().meta({ description: "The language of notifications; left as it is when absent" }),
  display_name: text(1, 100).optional().meta({ description: "Left as it is when absent" }),
  avatar_asset_id: Id.nullable().optional().meta({
    description:
      "A file uploaded with the category `avatar`; the one before is deleted. Null takes it away; left as it is " +
      "when absent",
  }),
}).meta({ id: "MeUpdate" });

/** As the database gives an account: with the file of its avatar. */
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
      "Every row that names the caller, by table: vehicles, sessions with photos, reviews, reports, tickets …; " +
      "`auth.users`, `auth.identities` and `auth.sessions` without passwords and tokens",
  }),
}).meta({ id: "MyData", description: "All that is held about the caller" });
