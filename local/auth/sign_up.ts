// Sign-up, sign-in, invitations, and the mails that an anonymous client may request.
import { z } from "zod";
import { sendConfirmation, sendEmailChange, sendSignInCode } from "./codes.ts";
import type { Call } from "./context.ts";
import { AuthError, invalid } from "./errors.ts";
import { checkPassword, hashPassword, isPassword } from "./passwords.ts";
import { openFlow } from "./pkce.ts";
import { Challenge, Metadata, readEmail, rejectBanned } from "./requests.ts";
import { openSession } from "./sessions.ts";
import { createUser, findByEmail, readUserJson, rejectTakenEmail, usersJson } from "./users.ts";

type Json = Record<string, unknown>;

export const SignUpBody = Challenge.extend({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  data: Metadata.nullish(),
});

export const OtpBody = Challenge.extend({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  create_user: z.boolean().nullish(),
  data: Metadata.nullish(),
});

export const RecoverBody = Challenge.extend({ email: z.string().nullish() });

export const ResendBody = Challenge.extend({
  type: z.string().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
});

export const InviteBody = z.object({ email: z.string().nullish(), data: Metadata.nullish() });

export const PasswordBody = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
});

/** A session, or the user without one if the address must be confirmed first. */
export async function signUp(
  body: z.output<typeof SignUpBody>,
  { context, redirect, client }: Call,
): Promise<Json> {
  const { sql: database, config } = context;
  if (!config.signUpEnabled) throw signUpDisabled();
  if (!body.email) {
    if (body.phone) throw new AuthError(400, "phone_provider_disabled", "Phone signups are disabled");
    throw new AuthError(422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled");
  }
  if (!body.password) throw invalid("Signup requires a valid password");
  checkPassword(body.password, config);
  const email = readEmail(body.email);
  const passwordHash = await hashPassword(database, body.password);
  return await database.begin(async (sql) => {
    let user = await findByEmail(sql, email);
    if (user !== undefined && (user.email_confirmed_at !== null || config.confirmations === false)) {
      if (!config.confirmations) throw alreadyRegistered();
      return { ...(await usersJson(sql, [{ ...user, id: crypto.randomUUID() }]))[0]!, ...HIDDEN };
    }
    user ??= await createUser(sql, {
      email,
      passwordHash,
      metadata: body.data ?? {},
      isConfirmed: !config.confirmations,
    });
    if (!config.confirmations) return await openSession(context, sql, user.id, "password", client);
    const isPkce = await openFlow(sql, user.id, "email/signup", body);
    await sendConfirmation(context, sql, user, { isPkce, redirect });
    return await readUserJson(sql, user.id);
  });
}

/** The response to a second sign-up equals that to a first one, so that it does not reveal which addresses are known. */
const HIDDEN = { identities: [], app_metadata: { provider: "email", providers: ["email"] }, user_metadata: {} };

export async function signInWithPassword(
  { email, phone, password }: z.output<typeof PasswordBody>,
  { context, client }: Call,
): Promise<Json> {
  if (!email && phone) throw new AuthError(400, "phone_provider_disabled", "Phone logins are disabled");
  if (!email) throw invalid("missing email or phone");
  return await context.sql.begin(async (sql) => {
    const user = await findByEmail(sql, email.trim().toLowerCase());
    const matches = await isPassword(sql, password ?? "", user?.encrypted_password ?? null);
    if (user === undefined || !matches) {
      throw new AuthError(400, "invalid_credentials", "Invalid login credentials");
    }
    rejectBanned(user, 400);
    if (user.email_confirmed_at === null) throw new AuthError(400, "email_not_confirmed", "Email not confirmed");
    return await openSession(context, sql, user.id, "password", client);
  });
}

/** Mails a code to sign in with. Creates the account unless the client sets `create_user` to false. */
export async function sendOtp(
  body: z.output<typeof OtpBody>,
  { context, redirect }: Call,
): Promise<Json> {
  if (!body.email) {
    if (body.phone) throw new AuthError(400, "phone_provider_disabled", "Unsupported phone provider");
    throw invalid("One of email or phone must be set");
  }
  const email = readEmail(body.email);
  await context.sql.begin(async (sql) => {
    let user = await findByEmail(sql, email);
    if (user === undefined) {
      if (body.create_user === false) throw new AuthError(422, "otp_disabled", "Signups not allowed for otp");
      if (!context.config.signUpEnabled) throw signUpDisabled();
      user = await createUser(sql, { email, passwordHash: null, metadata: body.data ?? {}, isConfirmed: false });
    }
    if (user.email_confirmed_at === null) {
      const isPkce = await openFlow(sql, user.id, "email/signup", body);
      await sendConfirmation(context, sql, user, { isPkce, redirect });
    } else {
      const isPkce = await openFlow(sql, user.id, "magiclink", body);
      await sendSignInCode(context, sql, user, { type: "magiclink", isPkce, redirect });
    }
  });
  return {};
}

export async function sendRecovery(
  body: z.output<typeof RecoverBody>,
  { context, redirect }: Call,
): Promise<Json> {
  if (!body.email) throw invalid("Password recovery requires an email");
  const email = readEmail(body.email);
  await context.sql.begin(async (sql) => {
    const user = await findByEmail(sql, email);
    if (user === undefined) return;
    const isPkce = await openFlow(sql, user.id, "recovery", body);
    await sendSignInCode(context, sql, user, { type: "recovery", isPkce, redirect });
  });
  return {};
}

export async function resend(
  body: z.output<typeof ResendBody>,
  { context, redirect }: Call,
): Promise<Json> {
  if (body.phone) throw new AuthError(400, "phone_provider_disabled", "Unsupported phone provider");
  if (body.type !== "signup" && body.type !== "email_change") {
    throw invalid("Missing one of these types: signup, email_change, sms, phone_change");
  }
  if (!body.email) throw invalid("Type provided requires an email address");
  const email = readEmail(body.email);
  await context.sql.begin(async (sql) => {
    const user = await findByEmail(sql, email);
    if (user === undefined) return;
    if (body.type === "signup") {
      if (user.email_confirmed_at !== null) return;
      const isPkce = await openFlow(sql, user.id, "email/signup", body);
      await sendConfirmation(context, sql, user, { isPkce, redirect });
    } else if (user.email_change) {
      const isPkce = await openFlow(sql, user.id, "email_change", body);
      await sendEmailChange(context, sql, user, user.email_change, { isPkce, redirect });
    }
  });
  return {};
}

/** Creates an unconfirmed user for the service and mails the link. */
export async function invite(
  body: z.output<typeof InviteBody>,
  { context, redirect }: Call,
): Promise<Json> {
  const email = readEmail(body.email ?? "");
  return await context.sql.begin(async (sql) => {
    let user = await findByEmail(sql, email);
    if (user?.email_confirmed_at) await rejectTakenEmail(sql, email);
    user ??= await createUser(sql, { email, passwordHash: null, metadata: body.data ?? {}, isConfirmed: false });
    await sendConfirmation(context, sql, user, { type: "invite", redirect });
    return await readUserJson(sql, user.id);
  });
}

function signUpDisabled(): AuthError {
  return new AuthError(422, "signup_disabled", "Signups not allowed for this instance");
}

export function alreadyRegistered(): AuthError {
  return new AuthError(422, "user_already_exists", "User already registered");
}
