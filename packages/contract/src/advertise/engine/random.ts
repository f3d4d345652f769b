/** Returns the 32-bit FNV-1a hash of an ASCII text. */
export function computeFnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Returns a Fisher-Yates permutation. Equal seeds return equal permutations on every engine. */
export function shuffle<T>(values: readonly T[], seed: string): T[] {
  const shuffled = [...values]
  // xorshift32 never leaves the state 0.
  let state = computeFnv1a(seed) || 1
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    const at = state % (last + 1)
    const value = shuffled[last]!
    shuffled[last] = shuffled[at]!
    shuffled[at] = value
  }
  return shuffled
}
