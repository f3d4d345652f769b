import { execFileSync } from 'node:child_process'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const BARE = '/bare'
/**
 * What any page costs here: a document with one field and nothing else; and with `?<bytes>`, one that waits for a script
 * of so many bytes and does nothing with it.
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

/** HTTP/2 before the product, as a reverse proxy gives it; the certificate lives as long as the run. */
export async function startFront({ from, onto }: { from: number; onto: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'oms-cert-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  const pem = readFileSync(cert)
  const spki = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  const server = createSecureServer({ key: readFileSync(key), cert: pem })
  rmSync(folder, { recursive: true })
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
        // A browser may split its cookies over several fields; HTTP/1 knows one.
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
  // Trusted by its key: behind a certificate error Chromium would keep no file in its cache.
  return { server, trusted: createHash('sha256').update(spki).digest('base64') }
}
