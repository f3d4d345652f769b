// Measures the schedule engine of advertising: a day of slots, the slot of one moment, the conflict check of 90 days.
import { checkConflicts } from '@oms/contract/advertise/engine/conflicts/conflict.ts'
import type { Manifest, ManifestProgram } from '@oms/contract/advertise/engine/manifest.ts'
import {
  buildItem,
  buildManifest,
  buildProgram,
  parseShanghaiTime,
} from '@oms/contract/advertise/engine/manifest-fixture.ts'
import { findPlayingAt, listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import { isMain } from '../lib/main.ts'
import { median, print } from '../lib/report.ts'

const DAY = 86_400_000
const FROM = parseShanghaiTime('2026-11-05 00:00')
const ROUNDS = 31

export async function run() {
  const shop = () => programsOf(10, 10, { dayParts: [] })
  const full = () => programsOf(50, 100)
  const day = (manifest: Manifest) => [...listSlotsBetween(manifest, FROM, FROM + DAY)].length
  print({
    name: '24 h of slots, 10 programs of 10 items',
    value: timeOf(shop, day),
    unit: 'ms',
    bar: 6,
    better: 'less',
  })
  print({
    name: '24 h of slots, 50 programs of 100 items',
    value: timeOf(full, day),
    unit: 'ms',
    bar: 30,
    better: 'less',
  })
  print({ name: 'playingAt, 10 programs', value: playingMicroseconds(shop()), unit: 'µs', bar: 20, better: 'less' })
  const conflicts = (manifest: Manifest) => checkConflicts(manifest, 2, '2026-11-05').warnings.length
  const name = 'conflict check of 90 days, 50 programs of 100 items with 6 day parts'
  print({ name, value: timeOf(full, conflicts), unit: 'ms', bar: 50, better: 'less' })
}

const minuteText = (hour: number, minute: number) =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`

/** Programs of ten priorities, a third of them with a share, each with six day parts by default. */
function programsOf(count: number, items: number, fields: Partial<ManifestProgram> = {}): Manifest {
  const programs = Array.from({ length: count }, (_, at) =>
    buildProgram(at + 1, {
      dateTo: '2027-03-31',
      priority: fields.dayParts ? 0 : at % 10,
      share: at % 3 === 0 ? 3 : null,
      items: Array.from({ length: items }, (_unused, index) => buildItem(at * 100 + index)),
      dayParts: [0, 4, 8, 12, 16, 20].map((hour) => ({
        start: minuteText(hour, at),
        end: minuteText(hour + 3, at),
      })),
      ...fields,
    }),
  )
  return buildManifest(programs)
}

/** Milliseconds of processor time: the engine only computes, so other programs do not count. */
const processorTime = () => process.cpuUsage().user / 1000

/** Returns the median milliseconds on a new manifest, for which nothing is cached. */
function timeOf(make: () => Manifest, work: (manifest: Manifest) => number): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const manifest = make()
    const since = processorTime()
    work(manifest)
    return processorTime() - since
  })
  return median(times)
}

function playingMicroseconds(manifest: Manifest): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const since = processorTime()
    for (let at = 0; at < 1000; at += 1) findPlayingAt(manifest, FROM + at * 86_000)
    return processorTime() - since
  })
  return median(times)
}

if (isMain(import.meta)) await run()
