/** A device as stored in the fleet index. */
interface DeviceRow {
  readonly id: number
  readonly tenantId: number
  readonly modelId: number
  readonly sn: string
  readonly verCode: number | null
  readonly enabled: boolean
  readonly wanted: boolean
  readonly deleted: boolean
  /** True when the tenant or the App account of the device ever changed. */
  readonly ownerChanged: boolean
  /** SHA-256 of the target token in hex; empty without a token. */
  readonly tokenHash: string
  /** Last stored poll in seconds since 1970; 0 for never. */
  readonly seen: number
}

/**
 * `listed`: the device is or was on an allowlist. `moved`: the tenant or the App account of the device ever changed.
 */
export const SLOT_FLAG = {
  enabled: 1,
  wanted: 2,
  alive: 4,
  open: 8,
  pending: 16,
  token: 32,
  listed: 64,
  moved: 128,
} as const

const NO_VERSION = -1
const TOKEN_BYTES = 32
const KEY_BYTES = 17
/** Load factor above which the hash table becomes slow. */
const MAX_LOAD = 0.7
const GROWTH = 1.25
const GONE = -1

/**
 * Stores all devices in typed arrays, about 120 bytes each. A million objects would take a gigabyte, and garbage
 * collection would block every poll. Serials are found by open addressing and compared by bytes.
 */
export class Slots {
  #capacity: number
  #count = 0
  ids: Int32Array
  tenants: Int32Array
  models: Int32Array
  versions: Int32Array
  flags: Uint8Array
  /** Last poll and last stored poll, in seconds. */
  seen: Uint32Array
  saved: Uint32Array
  /** Requests in the current minute. */
  calls: Uint8Array
  /** Last installed task of a device; 0 for none. */
  installed: Int32Array
  #tokens: Buffer
  #keyAt: Uint32Array
  #keyLength: Uint16Array
  #keys: Buffer
  #keysEnd = 0
  #bySn = new Int32Array(1024)
  #snUsed = 0
  #byId = new Int32Array(1024)

  constructor(expected = 1000) {
    const capacity = Math.max(64, Math.ceil(expected * 1.05))
    this.#capacity = capacity
    this.ids = new Int32Array(capacity)
    this.tenants = new Int32Array(capacity)
    this.models = new Int32Array(capacity)
    this.versions = new Int32Array(capacity)
    this.flags = new Uint8Array(capacity)
    this.seen = new Uint32Array(capacity)
    this.saved = new Uint32Array(capacity)
    this.calls = new Uint8Array(capacity)
    this.installed = new Int32Array(capacity)
    this.#tokens = Buffer.alloc(capacity * TOKEN_BYTES)
    this.#keyAt = new Uint32Array(capacity)
    this.#keyLength = new Uint16Array(capacity)
    this.#keys = Buffer.alloc(capacity * KEY_BYTES)
    this.#rehash(tableSize(capacity))
  }

  /** Number of used slots, including deleted devices. */
  get count() {
    return this.#count
  }

  /** Size of the arrays and tables in bytes. */
  get bytes() {
    const { ids, tenants, models, versions, flags, seen, saved, calls, installed } = this
    const columns = [ids, tenants, models, versions, flags, seen, saved, calls, installed, this.#tokens, this.#keyAt]
    return [...columns, this.#keyLength, this.#keys, this.#bySn, this.#byId].reduce((sum, a) => sum + a.byteLength, 0)
  }

  /** Returns the slot of an existing device; -1 when no device has this serial. */
  find(sn: string): number {
    const key = keyOf(sn)
    const table = this.#bySn
    const mask = table.length - 1
    for (let at = hashOf(key) & mask; ; at = (at + 1) & mask) {
      const entry = table[at]!
      if (entry === 0) return -1
      if (entry !== GONE && this.#hasKey(entry - 1, key)) return entry - 1
    }
  }

  slotOf(id: number): number {
    const table = this.#byId
    const mask = table.length - 1
    for (let at = mix(id) & mask; ; at = (at + 1) & mask) {
      const entry = table[at]!
      if (entry === 0) return -1
      if (this.ids[entry - 1] === id) return entry - 1
    }
  }

  snOf(slot: number): string {
    const start = this.#keyAt[slot]!
    return snOfKey(this.#keys.toString('latin1', start, start + this.#keyLength[slot]!))
  }

  versionOf(slot: number): number | null {
    const version = this.versions[slot]!
    return version === NO_VERSION ? null : version
  }

  /** True when `hashed` (SHA-256 as `binary` text) equals the stored token hash. Compares in constant time. */
  isToken(slot: number, hashed: string): boolean {
    const start = slot * TOKEN_BYTES
    let differs = hashed.length ^ TOKEN_BYTES
    for (let i = 0; i < TOKEN_BYTES; i++) differs |= this.#tokens[start + i]! ^ hashed.charCodeAt(i)
    return differs === 0
  }

  /** Stores a device row and returns its slot; -1 for a deleted device that was never stored. */
  put(row: DeviceRow): number {
    let slot = this.slotOf(row.id)
    if (slot < 0 && row.deleted) return -1
    if (slot < 0) slot = this.#take(row)
    else this.#readdress(slot, row)
    this.tenants[slot] = row.tenantId
    this.models[slot] = row.modelId
    this.versions[slot] = row.verCode ?? NO_VERSION
    const kept = this.flags[slot]! & (SLOT_FLAG.open | SLOT_FLAG.pending | SLOT_FLAG.listed)
    const { enabled, wanted, deleted, ownerChanged, tokenHash } = row
    this.flags[slot] =
      kept |
      (enabled ? SLOT_FLAG.enabled : 0) |
      (wanted ? SLOT_FLAG.wanted : 0) |
      (deleted ? 0 : SLOT_FLAG.alive) |
      (tokenHash ? SLOT_FLAG.token : 0) |
      (ownerChanged ? SLOT_FLAG.moved : 0)
    if (tokenHash) this.#tokens.write(tokenHash, slot * TOKEN_BYTES, TOKEN_BYTES, 'hex')
    if (row.seen > this.saved[slot]!) this.saved[slot] = row.seen
    return slot
  }

  #take({ id, sn }: DeviceRow): number {
    if (this.#count === this.#capacity) this.#grow()
    if (this.#snUsed >= this.#bySn.length * MAX_LOAD || this.#count >= this.#byId.length * MAX_LOAD)
      this.#rehash(tableSize(this.#count + 1))
    const slot = this.#count++
    this.ids[slot] = id
    this.#writeKey(slot, keyOf(sn))
    insert(this.#byId, mix(id), slot)
    this.#insertSn(slot, sn)
    return slot
  }

  /**
   * Updates the hash table. Only existing devices are in the table, so that another device can reuse a deleted
   * serial.
   */
  #readdress(slot: number, { sn, deleted }: DeviceRow) {
    const before = this.snOf(slot)
    const wasAlive = (this.flags[slot]! & SLOT_FLAG.alive) !== 0
    if (wasAlive && !deleted && before === sn) return
    if (wasAlive) this.#forget(slot, before)
    if (before !== sn) this.#writeKey(slot, keyOf(sn))
    if (!deleted) this.#insertSn(slot, sn)
  }

  /** Inserts the slot by serial. Two devices may exchange serials within one change, so the table compares slots. */
  #insertSn(slot: number, sn: string) {
    if (insert(this.#bySn, hashOf(keyOf(sn)), slot)) this.#snUsed += 1
  }

  #forget(slot: number, sn: string) {
    const table = this.#bySn
    const mask = table.length - 1
    for (let at = hashOf(keyOf(sn)) & mask; table[at] !== 0; at = (at + 1) & mask)
      if (table[at] === slot + 1) {
        table[at] = GONE
        return
      }
  }

  #hasKey(slot: number, key: string) {
    const length = key.length
    if (this.#keyLength[slot] !== length) return false
    const keys = this.#keys
    let at = this.#keyAt[slot]!
    for (let i = 0; i < length; i++) if (keys[at++] !== key.charCodeAt(i)) return false
    return true
  }

  #writeKey(slot: number, key: string) {
    const end = this.#keysEnd + key.length
    if (end > this.#keys.length) this.#keys = widerBytes(this.#keys, Math.ceil(end * GROWTH))
    this.#keys.write(key, this.#keysEnd, 'latin1')
    this.#keyAt[slot] = this.#keysEnd
    this.#keyLength[slot] = key.length
    this.#keysEnd = end
  }

  #grow() {
    const capacity = Math.ceil(this.#capacity * GROWTH)
    const wider = (column: Int32Array) => {
      const made = new Int32Array(capacity)
      made.set(column)
      return made
    }
    const widerUnsigned = (column: Uint32Array) => {
      const made = new Uint32Array(capacity)
      made.set(column)
      return made
    }
    this.ids = wider(this.ids)
    this.tenants = wider(this.tenants)
    this.models = wider(this.models)
    this.versions = wider(this.versions)
    this.installed = wider(this.installed)
    this.seen = widerUnsigned(this.seen)
    this.saved = widerUnsigned(this.saved)
    this.#keyAt = widerUnsigned(this.#keyAt)
    this.flags = new Uint8Array(widerBytes(this.flags, capacity).buffer, 0, capacity)
    this.calls = new Uint8Array(widerBytes(this.calls, capacity).buffer, 0, capacity)
    const lengths = new Uint16Array(capacity)
    lengths.set(this.#keyLength)
    this.#keyLength = lengths
    this.#tokens = widerBytes(this.#tokens, capacity * TOKEN_BYTES)
    this.#capacity = capacity
  }

  #rehash(size: number) {
    this.#bySn = new Int32Array(size)
    this.#byId = new Int32Array(size)
    this.#snUsed = 0
    for (let slot = 0; slot < this.#count; slot++) {
      insert(this.#byId, mix(this.ids[slot]!), slot)
      if ((this.flags[slot]! & SLOT_FLAG.alive) !== 0) this.#insertSn(slot, this.snOf(slot))
    }
  }
}

function insert(table: Int32Array, hash: number, slot: number): boolean {
  const mask = table.length - 1
  let at = hash & mask
  while (table[at]! > 0) at = (at + 1) & mask
  const isFresh = table[at] === 0
  table[at] = slot + 1
  return isFresh
}

function widerBytes(from: Uint8Array, length: number): Buffer {
  const made = Buffer.from(new ArrayBuffer(length))
  made.set(from)
  return made
}

const tableSize = (count: number) => 2 ** Math.max(10, Math.ceil(Math.log2(count / MAX_LOAD + 1)))

/** Returns the key of a serial. Unusual characters are URI-encoded so that every byte is one character. */
const keyOf = (sn: string) => (/^[!-$&-~]*$/.test(sn) ? sn : encodeURIComponent(sn.toWellFormed()))
const snOfKey = (key: string) => (key.includes('%') ? decodeURIComponent(key) : key)

function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return mix(hash)
}

function mix(value: number): number {
  let hash = value >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

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
