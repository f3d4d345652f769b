/** From this many members on one bit for every slot costs less than a set of numbers. */
const FEW = 2048

/** A set of slots: a few as numbers, many as bits. */
export class SlotSet {
  #few: Set<number> | undefined = new Set()
  #bits = new Uint32Array(0)
  #size = 0

  get size() {
    return this.#size
  }

  has(slot: number): boolean {
    if (this.#few) return this.#few.has(slot)
    const word = slot >>> 5
    return word < this.#bits.length && (this.#bits[word]! & (1 << (slot & 31))) !== 0
  }

  add(slot: number) {
    if (this.has(slot)) return
    this.#size += 1
    if (this.#few && this.#few.size < FEW) this.#few.add(slot)
    else {
      this.#spread()
      this.#set(slot)
    }
  }

  delete(slot: number) {
    if (!this.has(slot)) return
    this.#size -= 1
    if (this.#few) this.#few.delete(slot)
    else this.#bits[slot >>> 5]! &= ~(1 << (slot & 31))
  }

  #spread() {
    const few = this.#few
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
