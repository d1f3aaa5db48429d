// What the service key may do with mails: invite somebody, and make a link without sending it.
import { z } from "zod";
import { linkFor, type LinkType, newCode, sendConfirmation } from "./codes.ts";
import type { AuthContext } from "./context.ts";
import { AuthError, invalid } from "./errors.ts";
import { checkPassword, hashPassword } from "./passwords.ts";
import { redirectTo } from "./redirects.ts";
import { findByEmail, Metadata, readEmail } from "./requests.ts";
import { rejectTakenEmail } from "./sign_up.ts";
import { createUser, type Queries, readUserJson, type UserRow } from "./users.ts";

type Json = Record<string, unknown>;

export const InviteBody = z.object({ email: z.string().nullish(), data: Metadata.nullish() });

export const LinkBody = z.object({
  type: z.string().default(""),
  email: z.string().nullish(),
  new_email: z.string().nullish(),
  password: z.string().nullish(),
  data: Metadata.nullish(),
  redirect_to: z.string().nullish(),
});

export async function invite(
  context: AuthContext,
  body: z.output<typeof InviteBody>,
  redirect: string | null,
): Promise<Json> {
  const email = readEmail(body.email ?? "");
  return await context.sql.begin(async (sql) => {
    const user = await newOrUnconfirmed(sql, email, body.data ?? {});
    await sendConfirmation(context, sql, user, { type: "invite", redirect });
    return await readUserJson(sql, user.id);
  });
}

/** The user with the link, its code and its hash beside it. */
export async function generateLink(
  context: AuthContext,
  body: z.output<typeof LinkBody>,
  redirect: string | null,
): Promise<Json> {
  const email = readEmail(body.email ?? "");
  const to = body.redirect_to ?? redirect;
  return await context.sql.begin(async (sql) => {
    const { user, type, address, column } = await prepare(context, sql, body, email);
    const { code, hash } = newCode(context, address);
    const sentAt = column.startsWith("email_change") ? "email_change_sent_at" : column.replace("_token", "_sent_at");
    await sql`
      update auth.users set ${sql(column)} = ${hash}, ${sql(sentAt)} = now(), updated_at = now() where id = ${user.id}`;
    return {
      ...await readUserJson(sql, user.id),
      action_link: linkFor(context, type, hash, to),
      email_otp: code,
      hashed_token: hash,
      verification_type: body.type,
      redirect_to: redirectTo(to, context.config),
    };
  });
}

interface Prepared {
  readonly user: UserRow;
  readonly type: LinkType;
  /** The address that the code is for. */
  readonly address: string;
  readonly column: string;
}

async function prepare(
  context: AuthContext,
  sql: Queries,
  { type, password, data, new_email: newEmail }: z.output<typeof LinkBody>,
  email: string,
): Promise<Prepared> {
  switch (type) {
    case "signup": {
      if (!password) throw invalid("Signup requires a valid password");
      checkPassword(password, context.config);
      const user = await newOrUnconfirmed(sql, email, data ?? {}, await hashPassword(sql, password));
      return { user, type, address: email, column: "confirmation_token" };
    }
    case "invite": {
      const user = await newOrUnconfirmed(sql, email, data ?? {});
      return { user, type, address: email, column: "confirmation_token" };
    }
    case "magiclink":
    case "recovery":
      return { user: await existing(sql, email), type, address: email, column: "recovery_token" };
    case "email_change_current":
    case "email_change_new": {
      if (!context.config.doubleConfirmChanges && type === "email_change_current") {
        throw invalid("Enable secure email change to generate link for current email");
      }
      const user = await existing(sql, email);
      const address = readEmail(newEmail ?? "");
      await rejectTakenEmail(sql, address);
      await sql`
        update auth.users set email_change = ${address}, email_change_confirm_status = 0 where id = ${user.id}`;
      const isCurrent = type === "email_change_current";
      const column = isCurrent ? "email_change_token_current" : "email_change_token_new";
      return { user, type: "email_change", address: isCurrent ? email : address, column };
    }
    default:
      throw invalid("Invalid email action link type requested: " + type);
  }
}

async function newOrUnconfirmed(
  sql: Queries,
  email: string,
  metadata: Json,
  passwordHash: string | null = null,
): Promise<UserRow> {
  const user = await findByEmail(sql, email);
  if (user === undefined) return await createUser(sql, { email, passwordHash, metadata, isConfirmed: false });
  if (user.email_confirmed_at !== null) await rejectTakenEmail(sql, email);
  return user;
}

async function existing(sql: Queries, email: string): Promise<UserRow> {
  const user = await findByEmail(sql, email);
  if (user === undefined) throw new AuthError(404, "user_not_found", "User with this email not found");
  return user;
}
