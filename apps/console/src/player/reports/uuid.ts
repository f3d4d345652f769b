const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')

/** Returns a UUID of version 7. `crypto.randomUUID` needs HTTPS and Chrome 92. */
export function createUuid(ms: number) {
  const random = crypto.getRandomValues(new Uint16Array(5))
  const time = hex(ms, 12)
  const variant = 0x8000 | (random[1]! & 0x3fff)
  const tail = Array.from(random.slice(2), (word) => hex(word, 4)).join('')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(random[0]! & 0xfff, 3)}-${hex(variant, 4)}-${tail}`
}
