import { hash } from 'node:crypto'

const TOKEN_BYTES = 32
const GROWTH = 1.25

/** Columns of screens by slot: the number of the set, and the row of the player's token. */
export class ScreenTable {
  sets = new Uint32Array(0)
  #tokenRows = new Uint32Array(0)
  #tokens = Buffer.alloc(0)
  /** One bit for each slot: set for a device with a row of screens. */
  #screens = new Uint8Array(0)
  #rows = 1
  readonly #freeRows: number[] = []
  readonly #slotByKey = new Map<string, number>()
  readonly #keyBySlot = new Map<number, string>()

  /** Bytes of the columns, without the tokens. */
  get bytes() {
    return this.sets.byteLength + this.#tokenRows.byteLength + this.#screens.byteLength
  }

  /** Enlarges the columns to this number of slots. */
  reserve(count: number) {
    if (count <= this.sets.length) return
    const length = this.sets.length === 0 ? count : Math.ceil(count * GROWTH)
    const [sets, rows] = [new Uint32Array(length), new Uint32Array(length)]
    const screens = new Uint8Array(Math.ceil(length / 8))
    screens.set(this.#screens)
    this.#screens = screens
    sets.set(this.sets)
    rows.set(this.#tokenRows)
    this.sets = sets
    this.#tokenRows = rows
  }

  hasScreen(slot: number): boolean {
    return ((this.#screens[slot >> 3] ?? 0) & (1 << (slot & 7))) > 0
  }

  setScreen(slot: number, exists: boolean) {
    const bit = 1 << (slot & 7)
    const before = this.#screens[slot >> 3] ?? 0
    this.#screens[slot >> 3] = exists ? before | bit : before & ~bit
  }

  /** Stores the sha256 of the player's token in hex; empty removes the token. */
  setToken(slot: number, tokenHash: string) {
    const row = this.#tokenRows[slot]!
    if (tokenHash === '') {
      if (row > 0) this.#freeRows.push(row)
      this.#tokenRows[slot] = 0
      return
    }
    const used = row > 0 ? row : (this.#freeRows.pop() ?? this.#rows++)
    this.#tokenRows[slot] = used
    if (used * TOKEN_BYTES > this.#tokens.length) {
      const wider = Buffer.alloc(Math.ceil(Math.max(64, used * GROWTH)) * TOKEN_BYTES)
      this.#tokens.copy(wider)
      this.#tokens = wider
    }
    this.#tokens.write(tokenHash, (used - 1) * TOKEN_BYTES, TOKEN_BYTES, 'hex')
  }

  /** True when this is the player's token. Compares in constant time. */
  hasToken(slot: number, token: string): boolean {
    const row = this.#tokenRows[slot] ?? 0
    if (row === 0 || token.length === 0) return false
    const given = hash('sha256', token, 'binary')
    const start = (row - 1) * TOKEN_BYTES
    let differs = 0
    for (let at = 0; at < TOKEN_BYTES; at++) differs |= this.#tokens[start + at]! ^ given.charCodeAt(at)
    return differs === 0
  }

  /** Stores the sha256 of the key in the screen's SMIL address in hex; empty removes the key. */
  setSmilKey(slot: number, keyHash: string) {
    const before = this.#keyBySlot.get(slot)
    if (before !== undefined) this.#slotByKey.delete(before)
    this.#keyBySlot.delete(slot)
    if (keyHash === '') return
    this.#keyBySlot.set(slot, keyHash)
    this.#slotByKey.set(keyHash, slot)
  }

  /** Returns the slot of the screen with this SMIL key; -1 for an unknown key. */
  slotOfSmilKey(key: string): number {
    return this.#slotByKey.get(hash('sha256', key)) ?? -1
  }
}
