// Builds a signed image for SWUpdate that writes one file. Needs Node and openssl.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = `Usage: node scripts/make-swu.mjs <image.swu> <payload> <path on the device>
  [--version 200] [--hardware 1.0] [--key vendor.key.pem] [--cert vendor.cert.pem]
A key and its certificate are created when both files are missing.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: 'string', default: '200' },
    hardware: { type: 'string', default: '1.0' },
    key: { type: 'string', default: 'vendor.key.pem' },
    cert: { type: 'string', default: 'vendor.cert.pem' },
  },
})
const [image, payload, target] = positionals
if (!image || !payload || !target) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
if (!existsSync(values.key) && !existsSync(values.cert)) createSigner(values.key, values.cert)
const bytes = readFileSync(payload)
const description = describe(bytes)
writeFileSync(
  image,
  archiveOf([
    ['sw-description', Buffer.from(description)],
    ['sw-description.sig', signatureOf(description)],
    ['payload.bin', bytes],
  ]),
)
process.stdout.write(`${image}: version ${values.version}, ${bytes.length} bytes to ${target}\n`)

function createSigner(key, cert) {
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '3650', '-subj', '/CN=vendor']
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
}

function describe(content) {
  const sha256 = createHash('sha256').update(content).digest('hex')
  return `software =
{
  version = "${values.version}";
  hardware-compatibility: [ "${values.hardware}" ];
  files: (
    {
      filename = "payload.bin";
      path = "${target}";
      sha256 = "${sha256}";
    }
  );
}
`
}

/** Returns the CMS signature of the description in DER. */
function signatureOf(text) {
  const folder = mkdtempSync(join(tmpdir(), 'make-swu-'))
  try {
    const source = join(folder, 'sw-description')
    writeFileSync(source, text)
    const sign = ['cms', '-sign', '-in', source, '-out', `${source}.sig`, '-signer', values.cert, '-inkey', values.key]
    execFileSync('openssl', [...sign, '-outform', 'DER', '-nosmimecap', '-binary'], { stdio: 'ignore' })
    return readFileSync(`${source}.sig`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns a cpio archive in the format with checksums, as `cpio -H crc` writes it. */
function archiveOf(files) {
  const parts = files.flatMap(([name, content], at) => [header(at + 1, name, content), padded(content)])
  return Buffer.concat([...parts, header(0, 'TRAILER!!!', Buffer.alloc(0)), Buffer.alloc(512)])
}

function header(inode, name, content) {
  let sum = 0
  for (const byte of content) sum = (sum + byte) >>> 0
  const fields = [inode, 0o100644, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length + 1, sum]
  const hex = fields.map((field) => field.toString(16).toUpperCase().padStart(8, '0')).join('')
  return padded(Buffer.from(`070702${hex}${name}\0`))
}

function padded(content) {
  return Buffer.concat([content, Buffer.alloc((4 - (content.length % 4)) % 4)])
}
