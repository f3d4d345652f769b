import type { IncomingMessage, ServerResponse } from 'node:http'
import { notFound } from '#modules/device/wire/response.ts'
import type { Deployment } from './deployments.ts'

/** File names of the signed manifest and its signature of 64 bytes. `openssl` can verify both without a parser. */
export const MANIFEST_FILE_NAME = 'manifest.json'
const SIGNATURE = 'manifest.sig'

export const isManifestName = (name: string | undefined): name is string =>
  name === MANIFEST_FILE_NAME || name === SIGNATURE

/** Sends the manifest or its signature; 404 for an unsigned version. */
export function sendManifest(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  { manifest }: Pick<Deployment, 'manifest'>,
) {
  if (!manifest) throw notFound('manifest')
  const isText = name === MANIFEST_FILE_NAME
  const bytes = isText ? Buffer.from(manifest.manifest) : Buffer.from(manifest.signature, 'base64')
  response
    .writeHead(200, {
      'content-type': isText ? 'application/json' : 'application/octet-stream',
      'content-length': bytes.length,
      'cache-control': 'no-store',
    })
    .end(request.method === 'HEAD' ? undefined : bytes)
}
