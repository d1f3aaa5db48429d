/** A file, mapping or option that cannot be imported at all. Its message is shown as it is; nothing was written. */
export class ImportFailure extends Error {
  override readonly name = "ImportFailure";
}
