import { pipeline, type Readable, Transform } from 'node:stream'

/**
 * Passes on bytes and fails when there are more or fewer than announced. The connection then ends early, so that no
 * client takes a part for the whole file. The last bytes wait until the source has ended: a client that has all
 * announced bytes would not notice that there are more.
 */
export function exactBytes(source: Readable, expected: number, onBroken: (error: Error) => void): Readable {
  let received = 0
  let last: Buffer | undefined
  const exact = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      if (received > expected) return done(new Error(`object storage sent more than the ${expected} bytes of the file`))
      if (received < expected) return done(null, chunk)
      last ??= chunk
      done()
    },
    flush(done) {
      if (received === expected) done(null, last)
      else done(new Error(`object storage sent ${received} of the ${expected} bytes of the file`))
    },
  })
  pipeline(source, exact, (error) => {
    // The client has left.
    const isAbandoned = error !== undefined && error !== null && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (error && !isAbandoned) onBroken(error)
  })
  return exact
}
