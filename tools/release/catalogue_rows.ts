// Which rows of the tables that migrations fill belong to the migrations. All of them, unless a rule here says otherwise.

export interface RowRule {
  /** The only columns that are compared. */
  readonly columns?: readonly string[];
  /** Columns that the service writes. */
  readonly ignored?: readonly string[];
  /** An SQL condition on the row `t`: others are not compared. */
  readonly where?: string;
}

/** The service writes these while it runs. Migrations insert the first row. */
const STATE: Readonly<Record<string, RowRule | null>> = {
  "private.geocoder_turns": { columns: ["id"] },
  "private.holiday_calendars": { ignored: ["filled_until"] },
  "private.network_key": { columns: [] }, // the value differs in each database
  "private.outages": { columns: ["queue"] },
  "private.overview_parts": null,
  "private.recent_lot_counts_start": { columns: ["is_only"] },
  "private.retentions": { ignored: ["done_at", "done_rows"] },
  "private.session_days": null,
};

/** Administrators and imports change these. Migrations insert the first rows. */
const MANAGED: Readonly<Record<string, RowRule | null>> = {
  "private.console_settings": null, // the operator's; the local platform writes it too
  "private.exp_rules": null,
  // `deno task places` replaces them.
  "private.place_names": null,
  "private.places": null,
  "public.badges": null,
  // Administrators change labels and order. They add codes to open lists only.
  "public.codes": {
    ignored: ["display_label", "is_active", "metadata", "sort_order"],
    where: "not (select c.is_open from public.code_categories c where c.id = t.category_id)",
  },
  "public.holidays": null,
  "public.levels": null,
  "public.operators": null,
  "public.tags": null,
};

/** Tables whose rows the service or administrators change. */
export const RULED_TABLES: readonly string[] = [...Object.keys(STATE), ...Object.keys(MANAGED)];

/** Whether rows of the table are compared. */
export function isCompared(table: string, withManagedRows: boolean): boolean {
  return STATE[table] !== null && (withManagedRows || MANAGED[table] !== null);
}

export function rowRule(table: string, withManagedRows: boolean): RowRule {
  return STATE[table] ?? (withManagedRows ? undefined : MANAGED[table]) ?? {};
}
