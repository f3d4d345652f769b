import { expect, test } from 'vitest'
import { Feed } from './screen-feed.ts'

/** Fake clock that the test advances. */
function clockOf() {
  const timers = new Map<number, () => void>()
  let at = 0
  let made = 0
  return {
    timers,
    now: () => at,
    set: (run: () => void, ms: number) => {
      made += 1
      timers.set(made, () => {
        at += ms
        run()
      })
      return made
    },
    clear: (timer: unknown) => void timers.delete(timer as number),
    fire() {
      const [first] = timers
      if (!first) throw new Error('nothing is planned')
      timers.delete(first[0])
      first[1]()
    },
  }
}
const waitForRequests = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve()
}

test('after ten thousand refreshes the feed has one response and one timer, and has notified each time', async () => {
  const clock = clockOf()
  let asked = 0
  let notified = 0
  const feed = new Feed(
    async () => ({ asked: ++asked, points: Array.from({ length: 24 }, () => asked) }),
    60_000,
    clock,
  )
  const stop = feed.listen(() => {
    notified += 1
  })
  await waitForRequests()
  const size = JSON.stringify(feed.get()).length
  for (let i = 0; i < 10_000; i++) {
    clock.fire()
    await waitForRequests()
    expect(clock.timers.size).toBe(1)
  }
  expect(asked).toBe(10_001)
  expect(notified).toBe(10_001)
  expect(feed.get()).toMatchObject({ failed: false, at: 600_000_000, data: { asked: 10_001 } })
  // Only the numbers grew; no entries were added.
  expect(JSON.stringify(feed.get()).length).toBeLessThan(size * 4)
  stop()
  expect(clock.timers.size).toBe(0)
})

test('after a failure the feed keeps the last response and retries', async () => {
  const clock = clockOf()
  let broken = false
  const load = async () => {
    if (broken) throw new Error('no line')
    return 'known'
  }
  const feed = new Feed(load, 60_000, clock)
  feed.listen(() => {})
  await waitForRequests()
  broken = true
  clock.fire()
  await waitForRequests()
  expect(feed.get()).toEqual({ data: 'known', at: 0, failed: true })
  broken = false
  clock.fire()
  await waitForRequests()
  expect(feed.get()).toEqual({ data: 'known', at: 120_000, failed: false })
})

test('a stopped feed ignores a late response', async () => {
  const clock = clockOf()
  let answer = (_text: string) => {}
  let notified = 0
  const signals: AbortSignal[] = []
  const load = (signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<string>((resolve) => {
      answer = resolve
    })
  }
  const feed = new Feed(load, 60_000, clock)
  const stop = feed.listen(() => {
    notified += 1
  })
  stop()
  answer('late')
  await waitForRequests()
  expect(signals[0]?.aborted).toBe(true)
  expect([notified, clock.timers.size, feed.get().data]).toEqual([0, 0, undefined])
})
