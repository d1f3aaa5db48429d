// The part of supabase/config.toml that the local platform follows.
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { type MailTemplate, readTemplate, TEMPLATE_NAMES, type TemplateName } from "./auth/templates.ts";
import { type AuthRules, ROOT } from "./settings.ts";
import type { Bucket } from "./storage/storage.ts";

export interface Config {
  readonly schemas: readonly string[];
  readonly auth: Omit<AuthConfig, "siteUrl"> & { readonly siteUrl: string | undefined };
  readonly buckets: readonly BucketConfig[];
  /** Bytes. */
  readonly fileSizeLimit: number;
  /** The import map of each function. */
  readonly importMaps: Readonly<Record<string, string>>;
}

export interface BucketConfig extends Bucket {
  /** Bytes; null where `fileSizeLimit` is the only limit. */
  readonly fileSizeLimit: number | null;
  /** The media types of its objects; all where the list is empty. */
  readonly mediaTypes: readonly string[];
}

export interface AuthConfig {
  /** The target of links whose request names no address, or one that is not allowed. */
  readonly siteUrl: string;
  /** Patterns of the addresses that links may lead to. */
  readonly redirectUrls: readonly string[];
  readonly jwtExpiry: number;
  readonly refreshTokenReuseInterval: number;
  readonly signUpEnabled: boolean;
  readonly minimumPasswordLength: number;
  readonly passwordRequirements: z.infer<typeof PasswordRequirements>;
  /** Whether an address has to be confirmed before the first sign-in. */
  readonly confirmations: boolean;
  /** Whether a change of address has to be confirmed from both addresses. */
  readonly doubleConfirmChanges: boolean;
  /** Whether a session older than a day needs a mailed code to change the password. */
  readonly securePasswordChange: boolean;
  /** Seconds between two mails of a kind to one user. */
  readonly maxFrequency: number;
  readonly otpLength: number;
  /** Seconds. */
  readonly otpExpiry: number;
  /** Second factors of one user. */
  readonly maxFactors: number;
  readonly templates: Readonly<Record<TemplateName, MailTemplate>>;
}

/** Rules that development and tests switch off: they sign up hundreds of users and read the mails at /_mail. */
const RELAXED = {
  confirmations: false,
  passwordRequirements: "",
  securePasswordChange: false,
  maxFrequency: 0,
} as const;

/** The rules of accounts: those of the file, or the relaxed ones of development. */
export function authConfig({ auth }: Config, publicUrl: string, rules: AuthRules): AuthConfig {
  return { ...auth, ...(rules === "relaxed" ? RELAXED : {}), siteUrl: auth.siteUrl ?? `${publicUrl}/explore/` };
}

/** `env(NAME)` is the value of that variable; undefined when it is not set. */
const FromEnvironment = z.string().transform((text) => {
  const name = text.match(/^env\((\w+)\)$/)?.[1];
  return (name === undefined ? text : Deno.env.get(name)) || undefined;
});
const Seconds = z.string().regex(/^\d+[smh]$/, 'Must be a duration such as "60s".').transform((text) =>
  parseInt(text) * { s: 1, m: 60, h: 3600 }[text.at(-1) as "s" | "m" | "h"]
);
const Bytes = z.string().regex(/^\d+[KMG]iB$/, 'Must be a size such as "10MiB".').transform((text) =>
  parseInt(text) * 1024 ** ("KMG".indexOf(text.at(-3)!) + 1)
);
const PasswordRequirements = z.enum([
  "",
  "letters_digits",
  "lower_upper_letters_digits",
  "lower_upper_letters_digits_symbols",
]);

const File = z.object({
  api: z.object({ schemas: z.array(z.string()) }),
  auth: z.object({
    site_url: FromEnvironment.optional(),
    additional_redirect_urls: z.array(FromEnvironment).default([]),
    jwt_expiry: z.number().default(3600),
    refresh_token_reuse_interval: z.number().default(10),
    enable_signup: z.boolean().default(true),
    minimum_password_length: z.number().default(6),
    password_requirements: PasswordRequirements.default(""),
    mfa: z.object({
      max_enrolled_factors: z.number(),
      totp: z.object({ enroll_enabled: z.literal(true), verify_enabled: z.literal(true) }),
    }),
    email: z.object({
      enable_signup: z.boolean().default(true),
      enable_confirmations: z.boolean().default(false),
      double_confirm_changes: z.boolean().default(true),
      secure_password_change: z.boolean().default(false),
      max_frequency: Seconds.prefault("1s"),
      otp_length: z.number().default(6),
      otp_expiry: z.number().default(3600),
      template: z.record(z.enum(TEMPLATE_NAMES), z.object({ subject: z.string(), content_path: z.string() })),
    }),
  }),
  storage: z.object({
    file_size_limit: Bytes.prefault("50MiB"),
    buckets: z.record(
      z.string(),
      z.object({
        public: z.boolean().default(false),
        file_size_limit: Bytes.optional(),
        allowed_mime_types: z.array(z.string()).default([]),
      }),
    ).default({}),
  }),
  functions: z.record(
    z.string(),
    z.object({
      verify_jwt: z.literal(false, "Must be false: the local gateway does not check tokens for functions."),
      import_map: z.string(),
    }),
  ),
});

export async function readConfig(): Promise<Config> {
  const { data, error } = File.safeParse(parse(await Deno.readTextFile(join(ROOT, "supabase", "config.toml"))));
  if (error !== undefined) throw new Error(`supabase/config.toml:\n${z.prettifyError(error)}`);
  const { api, auth, storage, functions } = data;
  const templates = await Promise.all(
    TEMPLATE_NAMES.map(async (name) => [name, await readTemplate(name, auth.email.template[name])] as const),
  );
  return {
    schemas: api.schemas,
    auth: {
      siteUrl: auth.site_url,
      redirectUrls: auth.additional_redirect_urls.flatMap((url) => url?.split(",") ?? []).map((url) => url.trim()),
      jwtExpiry: auth.jwt_expiry,
      refreshTokenReuseInterval: auth.refresh_token_reuse_interval,
      signUpEnabled: auth.enable_signup && auth.email.enable_signup,
      minimumPasswordLength: auth.minimum_password_length,
      passwordRequirements: auth.password_requirements,
      confirmations: auth.email.enable_confirmations,
      doubleConfirmChanges: auth.email.double_confirm_changes,
      securePasswordChange: auth.email.secure_password_change,
      maxFrequency: auth.email.max_frequency,
      otpLength: auth.email.otp_length,
      otpExpiry: auth.email.otp_expiry,
      maxFactors: auth.mfa.max_enrolled_factors,
      templates: Object.fromEntries(templates) as AuthConfig["templates"],
    },
    buckets: Object.entries(storage.buckets).map(([name, bucket]) => ({
      name,
      isPublic: bucket.public,
      fileSizeLimit: bucket.file_size_limit ?? null,
      mediaTypes: bucket.allowed_mime_types,
    })),
    fileSizeLimit: storage.file_size_limit,
    importMaps: Object.fromEntries(
      Object.entries(functions).map(([name, { import_map: path }]) => [name, join(ROOT, "supabase", path)]),
    ),
  };
}
