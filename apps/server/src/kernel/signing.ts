import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from './config.ts'
import { readOrMake } from './own-file.ts'

/** A key that signatures are checked with. */
export interface SigningKey {
  readonly keyId: string
  /** The server's own; the others sign elsewhere, and only their public half is here. */
  readonly isOwn: boolean
  readonly pem: string
}
interface Known extends SigningKey {
  readonly key: KeyObject
}
export type Seal = 'valid' | 'wrong' | 'unknown'

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/**
 * Signs with Ed25519, and checks. The server's own key lies in a file outside the database, is read at its first use and
 * leaves this class in no way.
 */
export class Signing {
  /** Only signatures made elsewhere count: a stolen server can sign nothing. */
  readonly detachedOnly: boolean
  readonly #registered: readonly Known[]
  readonly #readOwn: () => string
  #own: { readonly secret: KeyObject; readonly known: Known } | undefined

  constructor({ dataDir, signing }: Pick<Config, 'dataDir' | 'signing'>) {
    const { keyFile } = signing
    this.detachedOnly = signing.detachedOnly
    this.#registered = signing.publicKeys.flatMap(publicKeysIn)
    this.#readOwn = keyFile
      ? () => readText(keyFile, 'OMS_SIGNING_KEY_FILE')
      : () => readOrMake(join(dataDir, 'signing.key'), freshKey)
    // A path given by hand is looked at right away: better no start than no signature.
    if (keyFile && !this.detachedOnly) this.#mine()
  }

  sign(text: string): { signature: string; keyId: string } {
    const { secret, known } = this.#mine()
    return { signature: sign(null, Buffer.from(text), secret).toString('base64'), keyId: known.keyId }
  }

  /** Every key a signature may be of, the server's own first. */
  keys(): readonly SigningKey[] {
    return this.#known().map(({ keyId, isOwn, pem }) => ({ keyId, isOwn, pem }))
  }

  /** The registered key, not the server's own, that made this signature. */
  signerOf(text: string, signature: string): string | undefined {
    return this.#registered.find(({ key }) => isOf(text, signature, key))?.keyId
  }

  check(text: string, signature: string, keyId: string): Seal {
    const known = this.#known().find((each) => each.keyId === keyId)
    if (!known) return 'unknown'
    return isOf(text, signature, known.key) ? 'valid' : 'wrong'
  }

  #known(): readonly Known[] {
    return this.detachedOnly ? this.#registered : [this.#mine().known, ...this.#registered]
  }

  #mine() {
    if (this.#own) return this.#own
    const secret = edKey(() => createPrivateKey(this.#readOwn()), '签名私钥')
    this.#own = { secret, known: knownOf(createPublicKey(secret), true) }
    return this.#own
  }
}

const isOf = (text: string, signature: string, key: KeyObject) =>
  verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))

function freshKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function knownOf(key: KeyObject, isOwn: boolean): Known {
  const keyId = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
  return { keyId, isOwn, key, pem: key.export({ type: 'spki', format: 'pem' }).toString() }
}

/** The keys of a file, or of all `.pem` and `.pub` files of a folder. */
function publicKeysIn(path: string): Known[] {
  const texts = filesOf(path).map((file) => readText(file, 'OMS_SIGNING_PUBLIC_KEYS'))
  const found = texts.flatMap((text) => text.match(PEM) ?? [])
  if (found.length === 0) throw new ConfigError(`OMS_SIGNING_PUBLIC_KEYS：${path} 中没有 PEM 格式的公钥`)
  return found.map((pem) =>
    knownOf(
      edKey(() => createPublicKey(pem), `${path} 中的公钥`),
      false,
    ),
  )
}

function filesOf(path: string): string[] {
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (!folder) return [path]
  const names = readdirSync(path).filter((name) => /\.(?:pem|pub)$/.test(name))
  return names.sort().map((name) => join(path, name))
}

function readText(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`${variable}：读不到文件 ${path}`)
  }
}

/** What the file holds is never part of the message. */
function edKey(read: () => KeyObject, what: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = read()
  } catch (error) {
    if (error instanceof ConfigError) throw error
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw new ConfigError(`${what}应为 PEM 格式的 Ed25519 密钥`)
  return key
}
