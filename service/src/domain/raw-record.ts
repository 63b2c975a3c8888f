/** What a recorder received or decided, as it was: the input from which rows can be produced again. */
export interface RawRecord {
  /**
   * `frame`, `rest`, `opened`, `closed`, `dropped` and `stopped`, the inputs in `RecordingInput`, or a kind that a later version
   * added.
   */
  readonly kind: string
  /** Unix time by the clock of the recorder, with fractions. */
  readonly atMs: number
  /** Empty for records that concern no venue. */
  readonly venue: string
  /** Name of the socket, path of the REST request, or empty. */
  readonly stream: string
  readonly body: Buffer | string
}

/** Takes records in order; never throws and never waits. */
export interface RawSink {
  append(record: RawRecord): void
}

/** Appends what happens on one socket. */
export function recordSocket(sink: RawSink | undefined, venue: string, stream: string) {
  if (sink === undefined) return undefined
  return (kind: string, body: Buffer | string, atMs: number): void => sink.append({ kind, atMs, venue, stream, body })
}
