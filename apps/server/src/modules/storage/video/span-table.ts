/** Terms of an entitlement that decide about uploads. */
export interface Terms {
  readonly recordType: number
  readonly storageDays: number
  readonly preRecord: number
  readonly eventRecord: number
  readonly prolong: number
  readonly dayLimitMb: number
}

/** An interval with its entitlement, in seconds since 1970. */
export interface TermSpan {
  readonly from: number
  readonly to: number
  readonly entitlementId: number
  readonly terms: Terms
}

/** `known`: the channel has or had a package. `past`: spans of the last days are in the map of past spans. */
export const SPAN_FLAG = { known: 1, suspended: 2, switchedOff: 4, past: 8 } as const

/** Factor by which the arrays exceed the number of devices, so that new devices fit. */
export const GROWTH_FACTOR = 1.1

/**
 * The current and the next span of many channels in typed arrays, 25 bytes each. The next span begins at the end of the
 * current one.
 */
export class SpanTable {
  flags = new Uint8Array(0)
  from = new Uint32Array(0)
  to = new Uint32Array(0)
  entitlements = new Int32Array(0)
  terms = new Uint16Array(0)
  nextTo = new Uint32Array(0)
  nextEntitlements = new Int32Array(0)
  nextTerms = new Uint16Array(0)

  get bytes() {
    const { flags, from, to, entitlements, terms, nextTo, nextEntitlements, nextTerms } = this
    return [flags, from, to, entitlements, terms, nextTo, nextEntitlements, nextTerms].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    )
  }

  /** Enlarges the arrays for this row. */
  reserve(row: number) {
    if (row < this.flags.length) return
    const length = Math.max(64, Math.ceil((row + 1) * GROWTH_FACTOR))
    this.flags = copyIntoLarger(this.flags, new Uint8Array(length))
    this.from = copyIntoLarger(this.from, new Uint32Array(length))
    this.to = copyIntoLarger(this.to, new Uint32Array(length))
    this.entitlements = copyIntoLarger(this.entitlements, new Int32Array(length))
    this.terms = copyIntoLarger(this.terms, new Uint16Array(length))
    this.nextTo = copyIntoLarger(this.nextTo, new Uint32Array(length))
    this.nextEntitlements = copyIntoLarger(this.nextEntitlements, new Int32Array(length))
    this.nextTerms = copyIntoLarger(this.nextTerms, new Uint16Array(length))
  }

  /** Removes the spans of a row. The row keeps its flags. */
  clear(row: number) {
    this.from[row] = 0
    this.to[row] = 0
    this.entitlements[row] = 0
    this.nextEntitlements[row] = 0
  }

  /** Returns the flags and the spans of a row as a text for comparison. */
  contentOf(row: number): string {
    const { flags, from, to, entitlements, terms, nextTo, nextEntitlements, nextTerms } = this
    const current = [flags[row]! & ~SPAN_FLAG.past, from[row], to[row], entitlements[row], terms[row]]
    return [...current, nextTo[row], nextEntitlements[row], nextTerms[row]].join(' ')
  }

  /** Adds the next span of a row. Later spans than the second are not kept. */
  add(row: number, { from, to, entitlementId }: Pick<TermSpan, 'from' | 'to' | 'entitlementId'>, terms: number) {
    if (this.entitlements[row] === 0) {
      this.from[row] = from
      this.to[row] = to
      this.entitlements[row] = entitlementId
      this.terms[row] = terms
    } else if (this.nextEntitlements[row] === 0) {
      this.nextTo[row] = to
      this.nextEntitlements[row] = entitlementId
      this.nextTerms[row] = terms
    }
  }
}

export function copyIntoLarger<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from)
  return to
}
