import { expect, test } from 'vitest'
import { Bandwidth, type Clock } from './bandwidth.ts'
import { deviceLab } from './device-fixture.ts'

/** A clock that stands still until everybody waits, and goes on to whoever is first. */
function simulated() {
  let at = 0
  const waiting: { until: number; go: () => void }[] = []
  const clock: Clock = {
    now: () => at,
    wait: (ms) => new Promise<void>((go) => void waiting.push({ until: at + ms, go })),
  }
  const run = async (work: Promise<unknown>) => {
    let done = false
    void work.then(() => (done = true))
    while (!done) {
      await new Promise((next) => setImmediate(next))
      const first = waiting.sort((a, b) => a.until - b.until).shift()
      if (!first) continue
      at = first.until
      first.go()
    }
  }
  return { clock, run, now: () => at }
}

async function* file(size: number, chunk = 256 * 1024) {
  for (let left = size; left > 0; left -= chunk) yield Buffer.alloc(Math.min(left, chunk))
}

test('all downloads together get what is allowed a second and no more, whatever their number', async () => {
  const RATE = 1_000_000
  const { clock, run, now } = simulated()
  const bandwidth = new Bandwidth(RATE, clock)
  const sent = [0, 0, 0, 0]
  const samples: { at: number; total: number; each: number[] }[] = []
  const download = async (index: number) => {
    for await (const piece of bandwidth.paced(file(2_500_000))) {
      sent[index]! += piece.length
      samples.push({ at: now(), total: sent.reduce((sum, each) => sum + each, 0), each: [...sent] })
    }
  }
  await run(Promise.all(sent.map((_, index) => download(index))))
  expect(sent).toEqual([2_500_000, 2_500_000, 2_500_000, 2_500_000])
  // Never ahead by more than a moment's credit and a piece of each.
  for (const { at, total } of samples) expect(total).toBeLessThanOrEqual((RATE * (at + 50)) / 1000 + 4 * 50_000)
  // Ten megabytes in ten seconds: the line is used to the full.
  expect(now()).toBeGreaterThan(9_700)
  expect(now()).toBeLessThan(10_000)
  // They take turns: nobody is ahead of the others by more than a chunk while all are at it.
  for (const { each } of samples) expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(256 * 1024)
})

test('a line that stood idle has nothing saved up', async () => {
  const { clock, run, now } = simulated()
  const bandwidth = new Bandwidth(100_000, clock)
  const drain = async () => {
    let total = 0
    for await (const piece of bandwidth.paced(file(200_000))) total += piece.length
    return total
  }
  await run(drain())
  await run(clock.wait(60_000))
  const begun = now()
  await run(drain())
  expect(now() - begun).toBeGreaterThan(1_700)
})

const oms = deviceLab({ OMS_DEVICE_BANDWIDTH: '64' })

test('bytes arrive whole and in part, and devices are told to wait while the line has no room for another', async () => {
  const [first, second, third] = [await oms.device(), await oms.device(), await oms.device()]
  const { componentId, fileName, bytes } = await oms.version({ size: 40_000 })
  const link = `softwaremodules/${componentId}/artifacts/${fileName}`
  await oms.poll(first.root)
  expect((await oms.send(`${first.root}/${link}`)).body.equals(bytes)).toBe(true)
  const part = await oms.send(`${first.root}/${link}`, { headers: { range: 'bytes=30000-' } })
  expect([part.status, part.body.equals(bytes.subarray(30_000))]).toEqual([206, true])
  // 64 KB a second are enough for two at once, and not for a third.
  oms.side.downloads.begin(-1)
  expect((await oms.poll(second.root)).href).toBeDefined()
  oms.side.downloads.begin(-2)
  const { href, body } = await oms.poll(third.root)
  expect(href).toBeUndefined()
  expect(body.config.polling.sleep).toMatch(/^00:(0[1-9]|10):\d\d$/)
  oms.side.downloads.end(-1, 0, false)
  expect((await oms.poll(third.root)).href).toBeDefined()
})
