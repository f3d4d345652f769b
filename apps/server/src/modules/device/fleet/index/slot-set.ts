/** Number of members from which a bitmap is smaller than an array. */
const MAX_ARRAY_MEMBERS = 2048

/**
 * Set of slots, stored as a sorted array when small and as a bitmap when large. A `Set` of numbers takes five times
 * the memory.
 */
export class SlotSet {
  #few: Int32Array | undefined = new Int32Array(0)
  #bits = new Uint32Array(0)
  #size = 0

  get size() {
    return this.#size
  }

  has(slot: number): boolean {
    const few = this.#few
    if (few) {
      const at = this.#placeOf(few, slot)
      return at < this.#size && few[at] === slot
    }
    const word = slot >>> 5
    return word < this.#bits.length && (this.#bits[word]! & (1 << (slot & 31))) !== 0
  }

  add(slot: number) {
    const few = this.#few
    if (few) {
      const at = this.#placeOf(few, slot)
      if (at < this.#size && few[at] === slot) return
      if (this.#size < MAX_ARRAY_MEMBERS) return this.#insert(few, at, slot)
      this.#spread()
    } else if (this.has(slot)) return
    this.#set(slot)
    this.#size += 1
  }

  delete(slot: number) {
    const few = this.#few
    if (few) {
      const at = this.#placeOf(few, slot)
      if (at >= this.#size || few[at] !== slot) return
      few.copyWithin(at, at + 1, this.#size)
    } else if (this.has(slot)) this.#bits[slot >>> 5]! &= ~(1 << (slot & 31))
    else return
    this.#size -= 1
  }

  /** Returns the position of a slot in the array, or its insertion position. */
  #placeOf(few: Int32Array, slot: number): number {
    let low = 0
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (few[middle]! < slot) low = middle + 1
      else high = middle
    }
    return low
  }

  #insert(few: Int32Array, at: number, slot: number) {
    let list = few
    if (this.#size === few.length) {
      list = new Int32Array(Math.min(MAX_ARRAY_MEMBERS, Math.max(4, Math.ceil(few.length * 1.5))))
      list.set(few)
      this.#few = list
    }
    list.copyWithin(at + 1, at, this.#size)
    list[at] = slot
    this.#size += 1
  }

  #spread() {
    const few = this.#few?.subarray(0, this.#size)
    this.#few = undefined
    for (const slot of few ?? []) this.#set(slot)
  }

  #set(slot: number) {
    const word = slot >>> 5
    if (word >= this.#bits.length) {
      const wider = new Uint32Array(Math.max(word + 1, Math.ceil(this.#bits.length * 1.5), 64))
      wider.set(this.#bits)
      this.#bits = wider
    }
    this.#bits[word]! |= 1 << (slot & 31)
  }
}
