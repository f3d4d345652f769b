import type { Manifest, ManifestItem, ManifestProgram } from '../manifest.ts'
import { buildLoopRows, type Row, shuffleValues, type SlowStream } from './slow-loop-fixture.ts'

/**
 * A second implementation of the schedule that shares no code with the engine. The clock advances in steps of one
 * second, or of one minute when no `once` program exists. All bounds must be whole minutes, and all plays whole
 * seconds.
 */

interface Choice {
  key: string
  rule: string
  streams: SlowStream[]
  plays?: { start: number; item: ManifestItem }[]
}
interface OncePlay {
  start: number
  item: ManifestItem
  program: ManifestProgram
  run: string
}

const MINUTE = 60_000
const HOUR = 3_600_000
const wallCache = new Map<string, string>()

/** `yyyy-MM-dd HH:mm` of an instant. */
function wallOf(zone: string, instant: number): string {
  const minute = Math.floor(instant / MINUTE) * MINUTE
  const key = `${zone}${minute}`
  const known = wallCache.get(key)
  if (known) return known
  const text = formatterOf(zone).format(minute).replace(' 24:', ' 00:')
  wallCache.set(key, text)
  return text
}

const formatters = new Map<string, Intl.DateTimeFormat>()
function formatterOf(timeZone: string) {
  const known = formatters.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formatters.set(timeZone, format)
  return format
}

const addDays = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 24 * HOUR).toISOString().slice(0, 10)

const instantCache = new Map<string, number>()
/** Searches an instant minute by minute. */
function instantOf(zone: string, date: string, time: string, side: 'start' | 'end'): number {
  if (time === '24:00') return instantOf(zone, addDays(date, 1), '00:00', side)
  const key = `${zone}${date}${time}${side}`
  const known = instantCache.get(key)
  if (known !== undefined) return known
  const wanted = `${date} ${time}`
  const from = Date.parse(`${date}T${time}:00Z`) - 16 * HOUR
  const found: number[] = []
  let jump = Number.NaN
  for (let at = from; at < from + 32 * HOUR; at += MINUTE) {
    const wall = wallOf(zone, at)
    if (wall === wanted) found.push(at)
    if (wall > wanted && wallOf(zone, at - MINUTE) < wanted) jump = at
  }
  const value = found.length === 0 ? jump : side === 'start' ? found[0]! : found[found.length - 1]!
  instantCache.set(key, value)
  return value
}

interface Window {
  start: number
  end: number
}
const windowCache = new WeakMap<ManifestProgram, Map<string, Window[]>>()
function windowsOf(manifest: Manifest, program: ManifestProgram, date: string): Window[] {
  const cache = windowCache.get(program) ?? new Map<string, Window[]>()
  windowCache.set(program, cache)
  const windows = cache.get(date) ?? computeWindows(manifest, program, date)
  cache.set(date, windows)
  return windows
}

function computeWindows(manifest: Manifest, program: ManifestProgram, date: string): Window[] {
  if (date < program.dateFrom || date > program.dateTo) return []
  const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
  if (!(program.weekdays & (2 ** weekday))) return []
  const parts = program.dayParts.length > 0 ? program.dayParts : [{ start: '00:00', end: '24:00' }]
  return parts.map(({ start, end }) => ({
    start: instantOf(manifest.zone, date, start, 'start'),
    end: instantOf(manifest.zone, end < start ? addDays(date, 1) : date, end, 'end'),
  }))
}

const limitCache = new WeakMap<ManifestItem, Window>()
function limitsOf(manifest: Manifest, item: ManifestItem): Window {
  const limits = limitCache.get(item) ?? computeLimits(manifest, item)
  limitCache.set(item, limits)
  return limits
}

function computeLimits({ zone, ads }: Manifest, { adId, from, to }: ManifestItem): Window {
  const ad = ads.find(({ id }) => id === adId)!
  const ends = [ad.validTo, ad.approvalUntil].map((date) => (date ? instantOf(zone, date, '24:00', 'end') : Infinity))
  return {
    start: Math.max(from ?? -Infinity, ad.validFrom ? instantOf(zone, ad.validFrom, '00:00', 'start') : -Infinity),
    end: Math.min(to ?? Infinity, ...ends),
  }
}

const byRank = (a: ManifestProgram, b: ManifestProgram) =>
  b.priority - a.priority || b.publishedAt - a.publishedAt || b.id - a.id

/** Places the plays of `once` programs by trying every second of their windows. */
function oncePlays(manifest: Manifest, dates: string[]): OncePlay[] {
  const takeovers = manifest.programs.filter(({ insertMode, fallback }) => insertMode > 0 && !fallback).sort(byRank)
  const busy = new Set<number>()
  const placed: OncePlay[] = []
  for (const program of takeovers) {
    const taken: number[] = []
    for (const date of dates)
      for (const window of windowsOf(manifest, program, date)) {
        if (program.insertMode === 1) {
          for (let at = window.start; at < window.end; at += 1000)
            if (playableItems(manifest, program, at).length > 0) taken.push(at)
          continue
        }
        let clock = window.start
        for (const group of onceGroups(manifest, program, date, window.start)) {
          const ms = group.reduce((sum, item) => sum + item.ms, 0)
          let at = clock
          while (at + ms <= window.end && !isFree(busy, at, ms)) at += 1000
          const isAllowed = group.every((item) => {
            const { start, end } = limitsOf(manifest, item)
            return start <= at && end >= at + ms
          })
          if (at + ms > window.end || !isAllowed) continue
          clock = at
          for (const item of group) {
            const last = placed[placed.length - 1]
            const isJoined =
              last && last.program === program && last.start + last.item.ms === clock && clock > window.start
            const run: string = isJoined ? last.run : `${program.id}@${clock}`
            placed.push({ start: clock, item, program, run })
            for (let second = clock; second < clock + item.ms; second += 1000) taken.push(second)
            clock += item.ms
          }
        }
      }
    for (const at of taken) busy.add(at)
  }
  return placed
}

function isFree(busy: Set<number>, from: number, ms: number) {
  for (let at = from; at < from + ms; at += 1000) if (busy.has(at)) return false
  return true
}

function onceGroups(manifest: Manifest, program: ManifestProgram, date: string, start: number) {
  if (program.playMode === 2) {
    const group = playableItems(manifest, program, start)
    return group.length > 0 ? [group] : []
  }
  const items =
    program.playMode === 3 ? shuffleValues(program.items, `${program.id}:${program.verNo}:${date}:0`) : program.items
  return items.map((item) => [item])
}

const playableItems = (manifest: Manifest, program: ManifestProgram, at: number) =>
  program.items.filter((item) => limitsOf(manifest, item).start <= at && at < limitsOf(manifest, item).end)

/** Decides what plays at an instant, from the definitions. */
function choiceAt(manifest: Manifest, once: OncePlay[], dates: string[], at: number): Choice {
  const isDue = (program: ManifestProgram) =>
    dates.some((date) => windowsOf(manifest, program, date).some(({ start, end }) => start <= at && at < end)) &&
    playableItems(manifest, program, at).length > 0
  const stream = (program: ManifestProgram, weight: number): SlowStream => ({
    program,
    weight,
    items: playableItems(manifest, program, at),
  })
  const named = (rule: string, streams: SlowStream[]): Choice => {
    const parts = streams.map(({ program, items, weight }) => [program.id, weight, items.map(({ id }) => id)])
    return { rule, streams, key: JSON.stringify([rule, parts]) }
  }
  const play = once.find(({ start, item }) => start <= at && at < start + item.ms)
  if (play) {
    const plays = once.filter(({ run }) => run === play.run)
    return { ...named('once', [{ ...stream(play.program, 1), items: [] }]), key: play.run, plays }
  }
  const due = manifest.programs.filter((program) => (program.fallback || program.insertMode !== 2) && isDue(program))
  const takeovers = due.filter(({ insertMode, fallback }) => insertMode === 1 && !fallback).sort(byRank)
  if (takeovers[0]) return named('takeover', [stream(takeovers[0], 1)])
  const normal = due.filter(({ insertMode, fallback }) => insertMode === 0 && !fallback)
  const plain = normal.filter(({ share }) => share === null)
  const base = plain.filter(({ priority }) => plain.every((other) => other.priority <= priority))
  const shares = normal.filter(
    ({ share, priority }) => share !== null && base.every((each) => each.priority <= priority),
  )
  if (base.length + shares.length === 0) {
    const defaults = due.filter(({ fallback }) => fallback).sort((a, b) => a.fallback - b.fallback || byRank(a, b))
    return defaults[0] ? named('default', [stream(defaults[0], 1)]) : named('idle', [])
  }
  const total = shares.reduce((sum, { share }) => sum + share!, 0)
  const streams = [
    ...shares.map((program) => stream(program, program.share! * Math.max(1, base.length))),
    ...base.map((program) => stream(program, 100 - total)),
  ].filter(({ weight }) => weight > 0)
  return named(
    'loop',
    streams.sort((a, b) => b.program.priority - a.program.priority || a.program.id - b.program.id),
  )
}

/** Returns the slots of whole local dates. */
export function buildReferenceRows(manifest: Manifest, fromDate: string, toDate: string): Row[] {
  const rows: Row[] = []
  const { zone } = manifest
  const dates = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4].map((days) => addDays(fromDate, days))
  const hasOnce = manifest.programs.some(({ insertMode }) => insertMode === 2)
  const once = hasOnce ? oncePlays(manifest, dates) : []
  const step = hasOnce ? 1000 : MINUTE
  const end = instantOf(zone, addDays(toDate, 1), '00:00', 'start')
  const midnights = new Map(dates.map((date) => [instantOf(zone, date, '00:00', 'start'), date]))
  let date = fromDate
  let open: { start: number; date: string; choice: Choice } | null = null
  const close = (at: number) => {
    if (open) rows.push(...segmentRows({ ...open, end: at }))
    open = null
  }
  for (let at = instantOf(zone, fromDate, '00:00', 'start'); at < end; at += step) {
    const midnight = midnights.get(at)
    const choice: Choice = choiceAt(manifest, once, dates, at)
    const current = open as { choice: Choice } | null
    if (current && (current.choice.key !== choice.key || (midnight !== undefined && !choice.plays))) close(at)
    date = midnight ?? date
    open ??= { start: at, date, choice }
  }
  close(end)
  return rows
}

function segmentRows(segment: { start: number; end: number; date: string; choice: Choice }): Row[] {
  const { start, end, choice } = segment
  if (choice.rule === 'idle') return [[start, end - start, 0, 0, 0, 0]]
  if (!choice.plays) return buildLoopRows(choice.streams, start, end, segment.date)
  return choice.plays.map(
    ({ start: at, item }, slot): Row => [at, item.ms, choice.streams[0]!.program.id, item.id, 0, slot],
  )
}
