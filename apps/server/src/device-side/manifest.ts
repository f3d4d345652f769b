import type { IncomingMessage, ServerResponse } from 'node:http'
import { missing } from './answer.ts'
import type { Deployment } from './deployments.ts'

/** What was signed, byte for byte, and the 64 bytes of its signature: as files, fit for `openssl` without a parser. */
export const MANIFEST = 'manifest.json'
const SIGNATURE = 'manifest.sig'

export const isManifestName = (name: string | undefined): name is string => name === MANIFEST || name === SIGNATURE

/** Sends one of the two files; 404 for a version nobody signed. */
export function sendManifest(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  { manifest }: Pick<Deployment, 'manifest'>,
) {
  if (!manifest) throw missing('manifest')
  const isText = name === MANIFEST
  const bytes = isText ? Buffer.from(manifest.manifest) : Buffer.from(manifest.signature, 'base64')
  response
    .writeHead(200, {
      'content-type': isText ? 'application/json' : 'application/octet-stream',
      'content-length': bytes.length,
      'cache-control': 'no-store',
    })
    .end(request.method === 'HEAD' ? undefined : bytes)
}
