import { FALLBACK, type ManifestProgram } from './manifest.ts'
import type { Run } from './once.ts'
import { compareRank, isDefault, isTakeover, type PlayableItem, type Span } from './program.ts'
import type { WindowPart } from './windows.ts'

/**
 * Rule that decides what plays in a segment. `loop` plays base and share programs in turn; `idle` shows the idle
 * picture.
 */
export type ChoiceRule = 'takeover' | 'once' | 'loop' | 'tenantDefault' | 'platformDefault' | 'idle'

export interface StreamChoice {
  readonly program: ManifestProgram
  readonly items: readonly PlayableItem[]
  readonly weight: number
}

export interface ProgramChoice {
  readonly rule: ChoiceRule
  /** Streams in the order of priority, then of id. Only the rule `loop` has more than one stream. */
  readonly streams: readonly StreamChoice[]
  /** The plays of the rule `once`. */
  readonly run?: Run
}

/** A maximal span in which the same items play in the same way, cut at midnight. Positions count from its start. */
export interface Segment extends Span {
  /** The day whose date seeds random orders. */
  readonly day: number
  readonly choice: ProgramChoice
}

const IDLE: ProgramChoice = { rule: 'idle', streams: [] }

/** Decides which of the programs that are due at one moment play, and how they divide the time. */
export function choosePlaying(due: readonly WindowPart[]): ProgramChoice {
  const [takeover] = due.filter(({ compiled }) => isTakeover(compiled)).sort(byRank)
  if (takeover) return alone('plays' in takeover ? 'once' : 'takeover', takeover)
  const { base, shares, total } = divideTimeBetweenPrograms(due)
  if (base.length + shares.length === 0) return chooseDefault(due)
  const rest = Math.max(0, 100 - total)
  const count = Math.max(1, base.length)
  const streams = [
    ...shares.map((piece) => streamOf(piece, (piece.compiled.program.share ?? 0) * count)),
    ...(rest > 0 ? base.map((piece) => streamOf(piece, rest)) : []),
  ]
  return { rule: 'loop', streams: streams.sort((a, b) => compareStreams(a.program, b.program)) }
}

/** Due programs that share the time of a screen. */
export interface TimeShares {
  /** Due programs without a share that have the highest priority among programs without a share. */
  readonly base: readonly WindowPart[]
  /** Programs with a share whose priority is not below the base's. */
  readonly shares: readonly WindowPart[]
  /** Sum of the shares in percent; may exceed 100. */
  readonly total: number
}

/** Separates base and share programs from programs that a higher priority hides. Ignores takeovers and defaults. */
export function divideTimeBetweenPrograms(due: readonly WindowPart[]): TimeShares {
  const normal = due.filter(({ compiled }) => !isTakeover(compiled) && !isDefault(compiled))
  const withoutShare = normal.filter(({ compiled }) => compiled.program.share === null)
  const highest = Math.max(-1, ...withoutShare.map(({ compiled }) => compiled.program.priority))
  const base = withoutShare.filter(({ compiled }) => compiled.program.priority === highest)
  const shares = normal.filter(({ compiled: { program } }) => program.share !== null && program.priority >= highest)
  return { base, shares, total: shares.reduce((sum, { compiled }) => sum + (compiled.program.share ?? 0), 0) }
}

/** True when two choices play the same items in the same way, so that no segment begins between them. */
export function isSameChoice(a: ProgramChoice, b: ProgramChoice): boolean {
  if (a.rule !== b.rule || a.run !== b.run || a.streams.length !== b.streams.length) return false
  return a.streams.every((stream, at) => {
    const other = b.streams[at]!
    return stream.program === other.program && stream.weight === other.weight && hasSameItems(stream, other)
  })
}

const hasSameItems = (a: StreamChoice, b: StreamChoice) =>
  a.items === b.items || (a.items.length === b.items.length && a.items.every((item, at) => item === b.items[at]))

function chooseDefault(due: readonly WindowPart[]): ProgramChoice {
  const defaults = due.filter(({ compiled }) => isDefault(compiled)).sort(byRank)
  const ofTenant = defaults.find(({ compiled }) => compiled.program.fallback === FALLBACK.tenant)
  if (ofTenant) return alone('tenantDefault', ofTenant)
  return defaults[0] ? alone('platformDefault', defaults[0]) : IDLE
}

function alone(rule: ChoiceRule, piece: WindowPart): ProgramChoice {
  const streams = [streamOf(piece, 1)]
  return rule === 'once' ? { rule, streams, run: piece as Run } : { rule, streams }
}

const streamOf = ({ compiled, items }: WindowPart, weight: number): StreamChoice => ({
  program: compiled.program,
  items,
  weight,
})
const byRank = (a: WindowPart, b: WindowPart) => compareRank(a.compiled.program, b.compiled.program)
export const compareStreams = (a: ManifestProgram, b: ManifestProgram): number => b.priority - a.priority || a.id - b.id
