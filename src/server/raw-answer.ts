/** An answer that another node encoded: header and body, sent on as they are. */
export class RawAnswer {
  constructor(readonly bytes: Uint8Array) {}
}
