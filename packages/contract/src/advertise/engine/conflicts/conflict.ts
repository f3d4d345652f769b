import type { KnownObstacles } from './because.ts'
import { choosePlaying, divideTimeBetweenPrograms } from '../choose.ts'
import { formatConflict } from './conflict-text.ts'
import { listAdConflicts } from './conflict-ads.ts'
import { parseDay } from '../dates.ts'
import { findBlockingProgram } from './hidden.ts'
import type { Manifest, ManifestProgram } from '../manifest.ts'
import type { CompiledProgram } from '../program.ts'
import { type DueSpan, buildTimeline } from '../timeline.ts'
import { listTakeoverOverlaps } from './takeover-conflicts.ts'
import type { WindowPart } from '../windows.ts'

export type ErrorCode =
  | 'sharesAbove100'
  | 'takeoverSamePriority'
  | 'adNotApproved'
  | 'adDisabled'
  | 'adEndsEarlier'
  | 'approvalEndsEarlier'
export type WarningCode = 'neverSeen' | 'partlyHidden' | 'hides' | 'equalPriority' | 'itemLongerThanPart'

export interface Conflict {
  readonly code: ErrorCode | WarningCode
  /** Duration of the conflict in milliseconds; 0 for a conflict without a duration. */
  readonly ms: number
  /** Total time in milliseconds in which the checked program is due. */
  readonly dueMs: number
  /** The other program. */
  readonly by: { readonly id: number; readonly name: string } | null
  readonly adId: number | null
  readonly adName: string | null
  /** Last date of the ad or of its approval number. */
  readonly date: string | null
  /** Text about the conflict: the daypart, or the programs with their shares. */
  readonly detail: string | null
  readonly text: string
}

export interface ConflictReport {
  /** Conflicts that stop the publishing. */
  readonly errors: readonly Conflict[]
  readonly warnings: readonly Conflict[]
}

/** Maximum number of days that one check covers. */
export const MAX_CONFLICT_DAYS = 90

/**
 * Checks one program against the others of a manifest that contains all of them, from a date on. Several sets of
 * programs are checked one by one.
 */
export function checkConflicts(
  manifest: Manifest,
  programId: number,
  fromDate: string,
  known: KnownObstacles = {},
): ConflictReport {
  const timeline = buildTimeline(manifest)
  const compiled = timeline.programs.find(({ program }) => program.id === programId)
  if (!compiled) return { errors: [], warnings: [] }
  const sums = new Sums(compiled)
  const first = Math.max(parseDay(fromDate), compiled.firstDay)
  // A daypart of the last date may end on the next day.
  const last = Math.min(parseDay(fromDate) + MAX_CONFLICT_DAYS - 1, compiled.lastDay + 1)
  const days = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
  for (const day of days) for (const span of timeline.spansOn(day)) sums.add(span)
  for (const { compiled: rival, ms } of listTakeoverOverlaps(timeline, compiled, days))
    sums.addTime('takeoverSamePriority', rival.program, ms)
  const ofAds = listAdConflicts(compiled, manifest, known)
  return {
    errors: [...sums.errors(), ...ofAds.errors].map(withText),
    warnings: [...sums.warnings(), ...ofAds.warnings].map(withText),
  }
}

const withText = (conflict: Omit<Conflict, 'text'>): Conflict => ({ ...conflict, text: formatConflict(conflict) })

/** Conflicts between programs that are due at the same time. */
interface Findings {
  /** Code of each conflict, and the other program that it concerns. */
  readonly found: readonly (readonly [Conflict['code'], ManifestProgram | null])[]
  /** Programs with a share, when their sum exceeds 100. */
  readonly shares: string | null
  readonly isHidden: boolean
}

/** Adds up the time of each conflict. Equal sets of due programs are examined once. */
class Sums {
  private readonly compiled: CompiledProgram
  private readonly judged = new Map<readonly WindowPart[], Findings | null>()
  private readonly times = new Map<string, { code: Conflict['code']; by: ManifestProgram | null; ms: number }>()
  private shares: string | null = null
  private dueMs = 0
  private hiddenMs = 0

  constructor(compiled: CompiledProgram) {
    this.compiled = compiled
  }

  add(span: DueSpan) {
    const findings = this.judge(span)
    if (!findings) return
    const ms = span.end - span.start
    this.dueMs += ms
    if (findings.isHidden) this.hiddenMs += ms
    this.shares ??= findings.shares
    for (const [code, by] of findings.found) this.addTime(code, by, ms)
  }

  addTime(code: Conflict['code'], by: ManifestProgram | null, ms: number) {
    const key = `${code}:${by?.id ?? ''}`
    const sum = this.times.get(key) ?? { code, by, ms: 0 }
    sum.ms += ms
    this.times.set(key, sum)
  }

  errors(): Omit<Conflict, 'text'>[] {
    return [...this.times.values()]
      .filter(({ code }) => code === 'sharesAbove100' || code === 'takeoverSamePriority')
      .map(({ code, by, ms }) => this.conflict(code, ms, by, code === 'sharesAbove100' ? this.shares : null))
  }

  warnings(): Omit<Conflict, 'text'>[] {
    const isNeverSeen = this.dueMs > 0 && this.hiddenMs === this.dueMs
    const list = [...this.times.values()].map(({ code, by, ms }) => {
      const isAlone = code === 'partlyHidden' && ms === this.dueMs
      return this.conflict(isAlone ? 'neverSeen' : code, ms, by)
    })
    const warnings = list.filter(({ code }) => code !== 'sharesAbove100' && code !== 'takeoverSamePriority')
    const hasNeverSeen = warnings.some(({ code }) => code === 'neverSeen')
    return isNeverSeen && !hasNeverSeen ? [this.conflict('neverSeen', this.dueMs, null), ...warnings] : warnings
  }

  private conflict(code: Conflict['code'], ms: number, by: ManifestProgram | null, detail: string | null = null) {
    const other = by && { id: by.id, name: by.name }
    return { code, ms, dueMs: this.dueMs, by: other, adId: null, adName: null, date: null, detail }
  }

  private judge(span: DueSpan): Findings | null {
    const known = this.judged.get(span.due)
    if (known !== undefined) return known
    const own = span.due.find(({ compiled }) => compiled === this.compiled)
    const findings = own ? judgeDue(own, span) : null
    this.judged.set(span.due, findings)
    return findings
  }
}

function judgeDue(own: WindowPart, { due, choice }: DueSpan): Findings {
  const { compiled } = own
  const { program } = compiled
  const found: [Conflict['code'], ManifestProgram | null][] = []
  const isPlaying = choice.streams.some((stream) => stream.program === program)
  const blocking = isPlaying ? null : findBlockingProgram(compiled, due, choice)
  if (blocking) found.push(['partlyHidden', blocking.by])
  const others = due.filter((piece) => piece !== own)
  const shown = new Set(choice.streams.map((stream) => stream.program))
  for (const stream of choosePlaying(others).streams)
    if (!shown.has(stream.program)) found.push(['hides', stream.program])
  const { base, shares, total } = divideTimeBetweenPrograms(due)
  const isIn = (pieces: readonly WindowPart[]) => pieces.includes(own)
  if (isIn(base)) for (const piece of base) if (piece !== own) found.push(['equalPriority', piece.compiled.program])
  const isAbove = isIn(shares) && total > 100
  if (isAbove) found.push(['sharesAbove100', null])
  const names = shares.map((piece) => `《${piece.compiled.program.name}》${piece.compiled.program.share}%`)
  return { found, shares: isAbove ? names.join('、') : null, isHidden: blocking !== null }
}
