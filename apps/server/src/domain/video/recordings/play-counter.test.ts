import type { Pool } from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { PlayCounter } from './play-counter.ts'

const recording = { expireDay: '2026-12-01', deviceId: 7, channel: 0, startMs: 1_795_321_990_000, format: 1 } as const
const at = (now: number) => ({ day: '2026-11-22', now })

/** SQLSTATE of a database that shuts down. */
const UNAVAILABLE = '57P01'
/** SQLSTATE of a date that no calendar has. */
const WRONG_DATE = '22008'

/**
 * Returns a counter whose database fails for the given number of writes, and the starts of the recordings of each
 * successful write.
 */
function openCounter(failures = 0, code = UNAVAILABLE) {
  const written: number[][] = []
  let left = failures
  const query = async (text: string, values: readonly unknown[][]) => {
    if (!text.includes('oss_play_days')) return
    if (left-- > 0) throw Object.assign(new Error('the database is away'), { code })
    written.push(values[7] as number[])
  }
  return { counter: new PlayCounter({ query } as unknown as Pool, pino({ level: 'silent' })), written }
}

test('counts whose write fails are written by the next attempt, together with later counts', async () => {
  const { counter, written } = openCounter(1)
  counter.count('first', recording, at(0))
  await counter.flush()
  counter.count('second', recording, at(1000))
  counter.count('second', { ...recording, startMs: 0 }, at(1000))
  await counter.close()
  expect(written).toEqual([[recording.startMs, recording.startMs, 0]])
})

test('counts with values that the database refuses are dropped, and later counts are written', async () => {
  const { counter, written } = openCounter(1, WRONG_DATE)
  counter.count('first', recording, at(0))
  await counter.flush()
  counter.count('second', recording, at(1000))
  await counter.close()
  expect(written).toEqual([[recording.startMs]])
})

test('a recording counts once per playback URL within about ten minutes, and again after twenty minutes', async () => {
  const { counter, written } = openCounter()
  for (const minutes of [0, 9, 11]) counter.count('address', recording, at(minutes * 60_000 + 1_795_322_000_000))
  await counter.flush()
  counter.count('address', recording, at(31 * 60_000 + 1_795_322_000_000))
  await counter.close()
  expect(written).toEqual([[recording.startMs], [recording.startMs]])
})

test('no SQL statement is sent when no recording was played', async () => {
  const { counter, written } = openCounter()
  await counter.close()
  expect(written).toEqual([])
})

test('requests beyond the queue limit are not counted, and their number is logged', async () => {
  const lines: { requests?: number }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as object) })
  const query = async () => ({ rows: [] })
  const counter = new PlayCounter({ query } as unknown as Pool, log, 4)
  for (let startMs = 0; startMs < 7; startMs += 1) counter.count('address', { ...recording, startMs }, at(0))
  await counter.close()
  expect(lines).toMatchObject([{ requests: 3, msg: 'played recordings not counted: too many wait' }])
})
