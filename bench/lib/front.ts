import { execFileSync } from 'node:child_process'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { request as ask } from 'node:http'
import { join } from 'node:path'
import { removeTemporary, temporaryFolder } from './temporary.ts'

export const BARE = '/bare'
/**
 * Measures the base cost of any page: a document with one field; with `?<bytes>`, a document with a script of this
 * size that does nothing.
 */
function bare(path: string) {
  const [name, bytes] = path.split('?')
  if (name === `${BARE}.js`)
    return {
      type: 'text/javascript',
      body: Buffer.from(`/*${randomBytes(Number(bytes) / 2).toString('hex')}*/account.focus()`),
    }
  if (name !== BARE) return undefined
  const field = bytes
    ? `<input id="account"><script src="${BARE}.js?${bytes}"></script>`
    : '<input id="account" autofocus>'
  return { type: 'text/html', body: Buffer.from(`<!doctype html>${field}`) }
}

/** Starts an HTTP/2 reverse proxy before the product; its certificate is valid only during the run. */
export async function startFront({ from, onto }: { from: number; onto: number }) {
  const folder = temporaryFolder('oms-cert-')
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  const pem = readFileSync(cert)
  const spki = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  const server = createSecureServer({ key: readFileSync(key), cert: pem })
  removeTemporary(folder)
  server.on('stream', (stream, headers) => {
    const plain = bare(String(headers[':path']))
    if (plain) {
      stream.respond({ ':status': 200, 'content-type': plain.type, 'content-length': plain.body.length })
      return void stream.end(plain.body)
    }
    const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
    const onward = ask(
      {
        port: onto,
        method: String(headers[':method']),
        path: String(headers[':path']),
        // A browser may split cookies over several header fields; HTTP/1 requires one.
        headers: { ...Object.fromEntries(fields), cookie: [headers.cookie ?? []].flat().join('; ') },
      },
      (reply) => {
        const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = reply.headers
        if (stream.closed) return
        stream.respond({ ':status': reply.statusCode ?? 502, ...kept })
        reply.pipe(stream)
      },
    )
    onward.on('error', () => stream.close())
    stream.on('error', () => onward.destroy()).on('close', () => onward.destroy())
    stream.pipe(onward)
  })
  await new Promise<void>((done) => void server.listen(from, '127.0.0.1', done))
  // Trusts the certificate by its key: with a certificate error Chromium would not cache files.
  return { server, trusted: createHash('sha256').update(spki).digest('base64') }
}
