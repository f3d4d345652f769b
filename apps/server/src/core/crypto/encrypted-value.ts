import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts a secret under the installation's key (AES-256-GCM); the text carries its nonce and tag. */
export function encrypt(key: Buffer, plain: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
}

/** Decrypts the result of `encrypt`. Throws when the key differs or the text was changed. */
export function decrypt(key: Buffer, encrypted: string): string {
  const data = Buffer.from(encrypted.slice(3), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, 12))
  decipher.setAuthTag(data.subarray(12, 28))
  return Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]).toString('utf8')
}
