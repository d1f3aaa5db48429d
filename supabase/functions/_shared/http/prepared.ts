/** A reply whose bytes exist before the request, with their entity tag. They are sent as they are. */
export class Prepared {
  constructor(readonly bytes: Uint8Array<ArrayBuffer>, readonly etag: string) {}
}
