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
import { ConfigError, type Config } from '#core/config/config.ts'
import { readOrCreateKey } from './keys.ts'

/** A key that verifies signatures. */
export interface SigningKey {
  readonly keyId: string
  /** True for the server's own key. For other keys, only the public half is stored here. */
  readonly isOwn: boolean
  readonly pem: string
}
interface Known extends SigningKey {
  readonly key: KeyObject
}
export type SignatureCheck = 'valid' | 'wrong' | 'unknown'

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/**
 * Signs with Ed25519 and verifies signatures. The server's own key is stored in a file outside the database and read at
 * first use. No method returns the key.
 */
export class Signing {
  /** True when only signatures made outside this server are valid. An attacker on the server then cannot sign. */
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
      : () => readOrCreateKey(join(dataDir, 'signing.key'), generateKey)
    // Reads a configured key file at once, so that a wrong path stops the start instead of the first signature.
    if (keyFile && !this.detachedOnly) this.#mine()
  }

  sign(text: string): { signature: string; keyId: string } {
    const { secret, known } = this.#mine()
    return { signature: sign(null, Buffer.from(text), secret).toString('base64'), keyId: known.keyId }
  }

  /** Returns the id of the server's own key, or undefined when only external signatures are valid. */
  ownKeyId(): string | undefined {
    return this.detachedOnly ? undefined : this.#mine().known.keyId
  }

  /** Returns all keys that verify signatures, the server's own key first. */
  keys(): readonly SigningKey[] {
    return this.#known().map(({ keyId, isOwn, pem }) => ({ keyId, isOwn, pem }))
  }

  /** Returns the id of the registered external key that made this signature. */
  signerOf(text: string, signature: string): string | undefined {
    return this.#registered.find(({ key }) => isOf(text, signature, key))?.keyId
  }

  check(text: string, signature: string, keyId: string): SignatureCheck {
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

function generateKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function knownOf(key: KeyObject, isOwn: boolean): Known {
  const keyId = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
  return { keyId, isOwn, key, pem: key.export({ type: 'spki', format: 'pem' }).toString() }
}

/** Returns the keys of a file, or of all `.pem` and `.pub` files of a folder. */
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
    throw new ConfigError(`${variable}：无法读取文件 ${path}`)
  }
}

/** Parses an Ed25519 key. Error messages never contain the content of the file. */
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
