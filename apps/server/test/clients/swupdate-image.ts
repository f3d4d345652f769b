import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of a key and its self-signed certificate. */
export interface Signer {
  readonly key: string
  readonly certificate: string
}

export function makeSigner(folder: string, name: string): Signer {
  const key = join(folder, `${name}.key.pem`)
  const certificate = join(folder, `${name}.cert.pem`)
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`]
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { key, certificate }
}

/** Creates an SWUpdate image: a description, its signature, and one file installed at `target`. */
export function makeImage(
  folder: string,
  { signer, version, payload, target }: { signer: Signer; version: string; payload: Buffer; target: string },
): Buffer {
  const sha256 = createHash('sha256').update(payload).digest('hex')
  const description = `software =\n{\n  version = "${version}";\n  hardware-compatibility: [ "1.0" ];\n  files: (\n    {\n      filename = "payload.bin";\n      path = "${target}";\n      sha256 = "${sha256}";\n    }\n  );\n}\n`
  const source = join(folder, 'sw-description')
  const signature = join(folder, 'sw-description.sig')
  writeFileSync(source, description)
  const sign = ['cms', '-sign', '-in', source, '-out', signature, '-signer', signer.certificate, '-inkey', signer.key]
  execFileSync('openssl', [...sign, '-outform', 'DER', '-nosmimecap', '-binary'], { stdio: 'ignore' })
  return archiveOf([
    ['sw-description', Buffer.from(description)],
    ['sw-description.sig', readFileSync(signature)],
    ['payload.bin', payload],
  ])
}

/** Returns a cpio archive with checksums, as `cpio -H crc` writes it. */
function archiveOf(files: readonly (readonly [string, Buffer])[]): Buffer {
  const parts = files.flatMap(([name, bytes], at) => [header(at + 1, name, bytes), padded(bytes)])
  return Buffer.concat([...parts, header(0, 'TRAILER!!!', Buffer.alloc(0)), Buffer.alloc(512)])
}

function header(inode: number, name: string, bytes: Buffer): Buffer {
  let sum = 0
  for (const byte of bytes) sum = (sum + byte) >>> 0
  const fields = [inode, 0o100644, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, sum]
  const hex = fields.map((field) => field.toString(16).toUpperCase().padStart(8, '0')).join('')
  return padded(Buffer.from(`070702${hex}${name}\0`))
}

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
