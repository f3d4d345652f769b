import { describe, expect, test, vi } from 'vitest'
import { deviceLab, type Version } from '#test/fixtures/device-fixture.ts'
import { type Clock, BandwidthLimits } from './bandwidth.ts'

/** Returns a simulated clock that advances to the next timer when everything waits. */
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

/** Creates the bandwidth limits of a process with this rate and these releases. */
function linesOf(
  bytesPerSecond: number,
  clock: Clock,
  rules: ReadonlyMap<number, { bandwidth: number | null }> = new Map(),
) {
  return new BandwidthLimits({ state: { rules } } as never, bytesPerSecond, clock)
}

async function* file(size: number, chunk = 256 * 1024) {
  for (let left = size; left > 0; left -= chunk) yield Buffer.alloc(Math.min(left, chunk))
}

test('any number of downloads together get at most the permitted bandwidth', async () => {
  const RATE = 1_000_000
  const { clock, run, now } = simulated()
  const lines = linesOf(RATE, clock)
  const sent = [0, 0, 0, 0]
  const samples: { at: number; total: number; each: number[] }[] = []
  const download = async (index: number) => {
    for await (const piece of lines.paced(1, file(2_500_000))) {
      sent[index]! += piece.length
      samples.push({ at: now(), total: sent.reduce((sum, each) => sum + each, 0), each: [...sent] })
    }
  }
  await run(Promise.all(sent.map((_, index) => download(index))))
  expect(sent).toEqual([2_500_000, 2_500_000, 2_500_000, 2_500_000])
  // The total is ahead by at most the credit time and one piece for each download.
  for (const { at, total } of samples) expect(total).toBeLessThanOrEqual((RATE * (at + 50)) / 1000 + 4 * 50_000)
  // Ten megabytes take ten seconds: the bandwidth is fully used.
  expect(now()).toBeGreaterThan(9_700)
  expect(now()).toBeLessThan(10_000)
  // Downloads take turns: while all are active, no download is ahead by more than a chunk.
  for (const { each } of samples) expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(256 * 1024)
})

test('unused bandwidth is not accumulated while no download runs', async () => {
  const { clock, run, now } = simulated()
  const lines = linesOf(100_000, clock)
  const drain = async () => {
    let total = 0
    for await (const piece of lines.paced(1, file(200_000))) total += piece.length
    return total
  }
  await run(drain())
  await run(clock.wait(60_000))
  const begun = now()
  await run(drain())
  expect(now() - begun).toBeGreaterThan(1_700)
})

test('a bandwidth limit that is set, changed or removed applies to running downloads', async () => {
  const { clock, run, now } = simulated()
  const rules = new Map<number, { bandwidth: number | null }>([[1, { bandwidth: null }]])
  const lines = linesOf(0, clock, rules)
  let sent = 0
  const marks: number[] = []
  const drain = async () => {
    for await (const piece of lines.paced(1, file(4 * MIB))) {
      sent += piece.length
      if (sent === MIB) rules.set(1, { bandwidth: 1 })
      if (sent === 2 * MIB) rules.set(1, { bandwidth: 4 })
      // The version is disabled: active downloads keep the last limit.
      if (sent === 3 * MIB) rules.delete(1)
      if (sent % MIB === 0) marks.push(now())
    }
  }
  await run(drain())
  const [free, slow, fast, gone] = marks as [number, number, number, number]
  expect(free).toBe(0)
  expect(slow - free).toBeGreaterThan(850)
  expect(slow - free).toBeLessThan(1010)
  expect(fast - slow).toBeGreaterThan(150)
  expect(fast - slow).toBeLessThan(260)
  expect(gone - fast).toBeGreaterThan(150)
})
const MIB = 1024 * 1024

describe('release with its own limit', () => {
  const { clock, run, now } = simulated()
  const lab = deviceLab({}, clock)

  test('the limit of a release applies to the sum of its downloads, and not to downloads of other releases', async () => {
    const [first, second, other] = [await lab.device(), await lab.device(), await lab.device({ modelId: 2 })]
    const limited = await lab.version({ size: 3 * MIB, policy: { bandwidth: 1 } })
    const free = await lab.version({ size: 3 * MIB, modelId: 2 })
    const fetch = async ({ root }: { root: string }, { componentId, fileName, bytes }: Version) => {
      await lab.poll(root)
      const { body } = await lab.send(`${root}/softwaremodules/${componentId}/artifacts/${fileName}`)
      expect(body.equals(bytes)).toBe(true)
    }
    await run(fetch(other, free))
    expect(now()).toBe(0)
    await run(Promise.all([fetch(first, limited), fetch(second, limited)]))
    // Six megabytes at one per second. Measures the granted bytes, independent of the machine's speed.
    expect(now()).toBeGreaterThan(5700)
    expect(now()).toBeLessThan(6100)
  })

  test('a release starts only as many downloads as its limit can serve at a useful rate', async () => {
    const device = await lab.device()
    const { otaId } = await lab.version({ policy: { bandwidth: 1 } })
    for (let n = 1; n <= 32; n++) lab.side.downloads.begin(-n, otaId)
    expect((await lab.poll(device.root)).href).toBeUndefined()
    lab.side.downloads.end(-1, 0, false)
    expect((await lab.poll(device.root)).href).toBeDefined()
    for (let n = 2; n <= 32; n++) lab.side.downloads.end(-n, 0, false)
    expect(lab.side.downloads.countOf(otaId)).toBe(0)
  })
})

const oms = deviceLab({ OMS_DEVICE_BANDWIDTH: '64' })

test('full and partial downloads succeed, and devices wait while no further download fits the limit', async () => {
  const [first, second, third] = [await oms.device(), await oms.device(), await oms.device()]
  const { componentId, fileName, bytes } = await oms.version({ size: 40_000 })
  const link = `softwaremodules/${componentId}/artifacts/${fileName}`
  await oms.poll(first.root)
  expect((await oms.send(`${first.root}/${link}`)).body.equals(bytes)).toBe(true)
  const part = await oms.send(`${first.root}/${link}`, { headers: { range: 'bytes=30000-' } })
  expect([part.status, part.body.equals(bytes.subarray(30_000))]).toEqual([206, true])
  // The server finishes shortly after the device has received all bytes.
  await vi.waitFor(() => expect(oms.side.downloads.count).toBe(0))
  // 64 KB/s permit two simultaneous downloads, not three.
  oms.side.downloads.begin(-1, 1)
  expect((await oms.poll(second.root)).href).toBeDefined()
  oms.side.downloads.begin(-2, 1)
  const { href, body } = await oms.poll(third.root)
  expect(href).toBeUndefined()
  expect(body.config.polling.sleep).toMatch(/^00:(0[1-9]|10):\d\d$/)
  oms.side.downloads.end(-1, 0, false)
  expect((await oms.poll(third.root)).href).toBeDefined()
})
