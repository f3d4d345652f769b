import { createHash } from 'node:crypto'
import { pipeline, Transform } from 'node:stream'
import type { IncomingFile } from '#core/http/context.ts'

/** An incoming file whose bytes are hashed while they are read. */
export interface HashedIncoming {
  readonly incoming: IncomingFile
  /** Returns the SHA-256 of the bytes read so far. */
  digest(): string
}

export function hashIncoming({ name, stream }: IncomingFile): HashedIncoming {
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  pipeline(stream, hashed, () => {})
  return { incoming: { name, stream: hashed }, digest: () => hash.copy().digest('hex') }
}

/** Reads a file to its end without storing it. Returns its SHA-256. */
export async function computeIncomingDigest({ stream }: IncomingFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
