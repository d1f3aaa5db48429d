/** The attributes of an input for a number with these bounds (bounds.ts). */
export function numberBounds<Step extends number>(
  { min, above = 0, max }: { readonly min?: number; readonly above?: number; readonly max: number },
  step: Step,
): { readonly min: number; readonly max: number; readonly step: Step } {
  return { min: min ?? above + step, max, step };
}
