import { CYCLE_MS } from '../caps.ts'
import { computeWeekdayBit } from '../dates.ts'
import { findBlockingProgram } from './hidden.ts'
import type { ManifestProgram } from '../manifest.ts'
import { type CompiledProgram, computeItemSpan, type ScreenState } from '../program.ts'
import type { Timeline } from '../timeline.ts'
import { listDaysReaching, listWindowsOnDay } from '../windows.ts'

/** Texts of the reasons why a program does not play, in the order of the checks. `《…》` names the other program. */
export const OBSTACLE_TEXT = {
  unpublished: '未发布',
  paused: '已暂停',
  beyondCapacity: '超出屏幕容量',
  outsideDates: '不在投放日期',
  outsideWeekdays: '不在星期',
  outsideDayParts: '不在时段',
  lowerPriority: '优先级低于《…》',
  noShareLeft: '份额已被《…》占满',
  takenOver: '被插播《…》占用',
  adNotApproved: '广告未通过审核',
  adDisabled: '广告已停用',
  adExpired: '广告已过期',
  capReached: '达到每小时上限',
  fileNotReady: '文件未就绪',
  codecUnsupported: '屏幕不支持该编码',
} as const
export type Obstacle = keyof typeof OBSTACLE_TEXT

/** Facts that the manifest does not contain: programs that are not delivered, and the reasons why ads are missing. */
export interface KnownObstacles {
  readonly programs?: readonly { readonly id: number; readonly name: string; readonly obstacle: Obstacle }[]
  readonly ads?: readonly { readonly id: number; readonly name?: string; readonly obstacle: Obstacle }[]
}

/** `playing`: on the screen at the moment. `inLoop`: plays in turn with others in the same segment. */
export type ProgramStatus = 'playing' | 'inLoop' | 'blocked'

export interface ProgramExplanation {
  readonly programId: number
  readonly name: string
  readonly status: ProgramStatus
  /** First obstacle in the order of `OBSTACLE_TEXT`; null unless blocked. */
  readonly obstacle: Obstacle | null
  /** Program that the obstacle names; null when the obstacle is not another program. */
  readonly by: { readonly id: number; readonly name: string } | null
  readonly text: string
}

/** The slot of the moment. */
interface Shown {
  readonly start: number
  readonly program: ManifestProgram | null
  readonly hold: boolean
}

type Reason = { readonly obstacle: Obstacle; readonly by?: ManifestProgram }

/** Returns for every program of a screen why the program does not play at an instant. */
export function explainPrograms(
  timeline: Timeline,
  instant: number,
  shown: Shown,
  state: ScreenState | undefined,
  known: KnownObstacles,
): ProgramExplanation[] {
  const { due, choice } = timeline.dueAt(instant)
  const ofManifest = timeline.programs.map((compiled): ProgramExplanation => {
    const { program } = compiled
    const inLoop = choice.streams.some((stream) => stream.program === program)
    const isShown = inLoop && shown.program === program && !shown.hold
    if (isShown) return describe(program, 'playing')
    const reason = inLoop
      ? capObstacle(timeline, shown.start, program)
      : (windowObstacle(timeline, compiled, instant) ??
        findBlockingProgram(compiled, due, choice) ??
        adObstacle(timeline, compiled, instant, state, known))
    if (reason) return describe(program, 'blocked', reason)
    return inLoop ? describe(program, 'inLoop') : describe(program, 'blocked', { obstacle: 'outsideDayParts' })
  })
  const others = (known.programs ?? []).map(({ id, name, obstacle }) => describe({ id, name }, 'blocked', { obstacle }))
  return [...ofManifest, ...others]
}

function describe(
  { id, name }: Pick<ManifestProgram, 'id' | 'name'>,
  status: ProgramStatus,
  { obstacle = null, by }: { obstacle?: Obstacle | null; by?: ManifestProgram } = {},
): ProgramExplanation {
  const statusText = status === 'playing' ? '正在播放' : '轮播中'
  const text = obstacle ? OBSTACLE_TEXT[obstacle].replace('…', () => by?.name ?? '') : statusText
  return { programId: id, name, status, obstacle, by: by ? { id: by.id, name: by.name } : null, text }
}

function windowObstacle({ zone }: Timeline, compiled: CompiledProgram, instant: number): Reason | null {
  const day = zone.dayAt(instant)
  const isDue = listDaysReaching(zone, compiled, day)
    .flatMap((each) => listWindowsOnDay(zone, compiled, each))
    .some(({ start, end }) => start <= instant && instant < end)
  if (isDue) return null
  if (day < compiled.firstDay || day > compiled.lastDay) return { obstacle: 'outsideDates' }
  if ((compiled.program.weekdays & computeWeekdayBit(day)) === 0) return { obstacle: 'outsideWeekdays' }
  return { obstacle: 'outsideDayParts' }
}

const ORDER = Object.keys(OBSTACLE_TEXT) as Obstacle[]

/**
 * Returns why no ad of the program plays: the obstacle of the item that is nearest to playing. Returns null when any
 * item may play.
 */
function adObstacle(
  timeline: Timeline,
  { program }: CompiledProgram,
  instant: number,
  state: ScreenState | undefined,
  known: KnownObstacles,
): Reason | null {
  const ads = new Map(timeline.manifest.ads.map((ad) => [ad.id, ad]))
  const obstacles = program.items.map((item): Obstacle | null => {
    const ad = ads.get(item.adId)
    if (!ad) return known.ads?.find(({ id }) => id === item.adId)?.obstacle ?? 'adNotApproved'
    const { start, end } = computeItemSpan(timeline.zone, item, ad)
    if (instant < start || (item.to !== null && instant >= item.to)) return 'outsideDates'
    if (instant >= end) return 'adExpired'
    if (state?.codecsUnsupported?.includes(ad.id)) return 'codecUnsupported'
    return state?.filesNotReady?.includes(ad.id) ? 'fileNotReady' : null
  })
  const reached = Math.max(-1, ...obstacles.map((obstacle) => (obstacle ? ORDER.indexOf(obstacle) : ORDER.length)))
  const closest = ORDER[reached]
  return closest ? { obstacle: closest } : null
}

/** Returns `capReached` when the caps of all items of the program forbid a play in this slot; otherwise null. */
function capObstacle(timeline: Timeline, slotStart: number, program: ManifestProgram): Reason | null {
  const segment = timeline.segmentAt(slotStart)
  const stream = segment.choice.streams.find((each) => each.program === program)
  if (!stream || stream.items.some(({ item }) => item.maxPlaysPerHour === 0)) return null
  const loop = timeline.loopOf(segment)
  const position = slotStart - segment.start
  const current = loop.indexAt(position)
  const cycleStart = loop.slotAt(current - loop.slotAt(current).slot).position
  const plays = new Map<unknown, number>()
  for (let index = current - loop.slotAt(current).slot; index < current; index += 1) {
    const { item } = loop.slotAt(index)
    if (item) plays.set(item, (plays.get(item) ?? 0) + 1)
  }
  const isCapped = stream.items.every((each) => {
    const allowedFrom = cycleStart + Math.ceil(((plays.get(each) ?? 0) * CYCLE_MS) / each.item.maxPlaysPerHour)
    return allowedFrom > position
  })
  return isCapped ? { obstacle: 'capReached' } : null
}
