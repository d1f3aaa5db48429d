/** A file, mapping or option that cannot be imported at all. Nothing was written. Its message is printed unchanged. */
export class ImportFailure extends Error {
  override readonly name = "ImportFailure";
}
