/** A row of parking_lot_windows, window_type business. */
export interface BusinessWindow {
  readonly day_type: string | null;
  readonly day_of_week: number | null;
  readonly is_24h: boolean | null;
  readonly is_closed?: boolean | null;
  readonly open_time: string | null;
  readonly close_time: string | null;
}
