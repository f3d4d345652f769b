/** Reasons of a refusal in the order of their rules, with the text for people. */
export const REFUSAL_REASONS = {
  disabled: '设备已停用',
  tenant: '客户已停用或到期',
  model: '型号不支持云存储',
  channel: '通道超出型号范围',
  none: '未开通套餐',
  waiting: '套餐待生效',
  suspended: '套餐已暂停',
  expired: '套餐已过期',
  clock: '设备时间偏差超过5分钟',
  old: '录像早于 7 天或已过保存期',
  kind: '套餐仅支持事件录像',
  event: '超出单次事件录像时长',
  day: '超出当日容量上限',
  space: '存储空间不足',
  switch: '用户已关闭云录像',
} as const
export type RefusalReason = keyof typeof REFUSAL_REASONS

export const RECORDING_TYPE_CODE = { continuous: 1, events: 2, lowPower: 3 } as const
const CLOCK_MS = 5 * 60_000
const BACKLOG_MS = 7 * 86_400_000
/** Tolerance of the end of an event's last recording, because cameras cut recordings at key frames. */
const CUT_MS = 2_000
const MB = 1024 * 1024

/** Facts about a channel at the start of a recording, which the rules compare. */
export interface PermitFacts {
  readonly isEnabled: boolean
  readonly isTenantOpen: boolean
  readonly cloudChannels: number
  readonly channel: number
  readonly hadPackage: boolean
  readonly isSuspended: boolean
  readonly isSwitchedOff: boolean
  /** Start of the first known span in milliseconds; null: none. */
  readonly firstFromMs: number | null
  /** Span that covers the start of the recording. */
  readonly span: TermSpan | undefined
  /** First day on which the recording no longer exists; empty without a span. */
  readonly expireDay: string
  readonly today: string
  /** Last change of App account or tenant in milliseconds. */
  readonly ownerSinceMs: number
  readonly bytesToday: number
  readonly hasRoom: boolean
}

/** A recording that a camera wants to upload. */
interface Recording {
  readonly startMs: number
  readonly durationMs: number
  readonly bytes: number
  readonly isEvent: boolean
  /** Start of the event's first recording. */
  readonly eventStartMs: number
}

/** Returns a recording that starts now and that every package permits. */
export const createSampleRecording = (now: number): Recording => ({
  startMs: now,
  durationMs: 4000,
  bytes: 1,
  isEvent: true,
  eventStartMs: now,
})

type Rule = readonly [reason: RefusalReason, fails: (facts: PermitFacts, recording: Recording, now: number) => boolean]

const lastsTooLong = ({ prolong, preRecord, eventRecord }: Terms, { startMs, durationMs, eventStartMs }: Recording) =>
  prolong === 0 && eventRecord > 0 && startMs + durationMs - eventStartMs > (preRecord + eventRecord) * 1000 + CUT_MS

/** All rules in order. The permit stops at the first rule that fails; the console shows every rule. */
const RULES: readonly Rule[] = [
  ['disabled', ({ isEnabled }) => !isEnabled],
  ['tenant', ({ isTenantOpen }) => !isTenantOpen],
  ['model', ({ cloudChannels }) => cloudChannels === 0],
  ['channel', ({ channel, cloudChannels }) => channel >= cloudChannels],
  ['none', ({ hadPackage }) => !hadPackage],
  ['waiting', ({ span, firstFromMs }, { startMs }) => !span && firstFromMs !== null && firstFromMs > startMs],
  ['suspended', ({ span, isSuspended }) => !span && isSuspended],
  ['expired', ({ span }) => !span],
  ['clock', (_facts, { startMs }, now) => startMs > now + CLOCK_MS],
  [
    'old',
    ({ ownerSinceMs, expireDay, today }, { startMs }, now) =>
      startMs < now - BACKLOG_MS || startMs < ownerSinceMs || (expireDay !== '' && expireDay <= today),
  ],
  [
    'kind',
    ({ span }, { isEvent }) =>
      span !== undefined && span.terms.recordType !== RECORDING_TYPE_CODE.continuous && !isEvent,
  ],
  [
    'event',
    ({ span }, recording) =>
      span !== undefined &&
      span.terms.recordType !== RECORDING_TYPE_CODE.continuous &&
      lastsTooLong(span.terms, recording),
  ],
  [
    'day',
    ({ span, bytesToday }, { bytes }) =>
      span !== undefined && span.terms.dayLimitMb > 0 && bytesToday + bytes > span.terms.dayLimitMb * MB,
  ],
  ['space', ({ hasRoom }) => !hasRoom],
  ['switch', ({ isSwitchedOff }) => isSwitchedOff],
]

/** Returns the reason why a recording is refused; undefined when the upload is permitted. */
export function findRefusalReason(facts: PermitFacts, recording: Recording, now: number): RefusalReason | undefined {
  for (const [reason, fails] of RULES) if (fails(facts, recording, now)) return reason
  return undefined
}

/**
 * Returns every rule with its result. A rule behind a missing package has no result (null), because the rule depends on
 * the package.
 */
export function explainPermit(facts: PermitFacts, recording: Recording, now: number) {
  const first = RULES.findIndex(([, fails]) => fails(facts, recording, now))
  return RULES.map(([reason, fails], at) => {
    const dependsOnSpan = !facts.span && NEEDS_SPAN.has(reason)
    const isPassed = dependsOnSpan && at > first && first >= 0 ? null : !fails(facts, recording, now)
    return { reason, text: REFUSAL_REASONS[reason], isPassed, isFirst: at === first }
  })
}

const NEEDS_SPAN: ReadonlySet<RefusalReason> = new Set(['waiting', 'suspended', 'expired', 'kind', 'event', 'day'])

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
