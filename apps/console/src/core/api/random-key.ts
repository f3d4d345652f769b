/** Returns an unguessable key. Works on plain http, where `crypto.randomUUID` exists only on localhost. */
export function createRandomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
