/** An unguessable key. `crypto.randomUUID` is missing on plain http outside localhost; this is not. */
export function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
