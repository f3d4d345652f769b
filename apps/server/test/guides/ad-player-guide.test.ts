import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab, TOKEN } from '#test/fixtures/device-fixture.ts'
import { blocksOf, readGuide } from './device-guide.ts'

const oms = deviceLab({ OMS_AD_POLL_SECONDS: '5' })
const { ad, program } = useAds(oms)

/** Forwards calls to OMS while `isUp`. */
async function network() {
  const state = { isUp: true }
  const server = createServer((request, response) => {
    if (!state.isUp) return void response.destroy()
    const to = `${oms.origin}${request.url}`
    const forward = httpRequest(to, { method: request.method, headers: request.headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
      reply.pipe(response)
    })
    forward.on('error', () => response.destroy())
    request.pipe(forward)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { state, url, close: () => new Promise((done) => server.close(done).closeAllConnections()) }
}

test('AD-08 the shell player of the guide plays, goes on without a network, and reports every play once', {
  timeout: 120_000,
}, async () => {
  const { sn, id } = await oms.device()
  const ads = [await ad(), await ad({ bytes: randomBytes(300_000) })]
  const items = ads.map((each, at) => ({
    id: at + 1,
    adId: each.id,
    ms: 2000,
    weight: 1,
    maxPlaysPerHour: 0,
    from: null,
    to: null,
    transition: 0 as const,
  }))
  await program({ ads: [], targetType: 1, targetIds: [id], body: { items } })
  const folder = mkdtempSync(join(tmpdir(), 'oms-shell-player-'))
  const [script] = blocksOf(readGuide('ad-players.md'), 'bash')
  expect(script!.body.split('\n').length).toBeLessThanOrEqual(70)
  writeFileSync(join(folder, 'ad-player.sh'), script!.body)
  writeFileSync(join(folder, 'show.sh'), '#!/usr/bin/env bash\nsleep "$2"\n', { mode: 0o755 })
  const net = await network()
  const player = spawn('bash', [join(folder, 'ad-player.sh'), net.url, sn, TOKEN, join(folder, 'ads')], {
    env: { PATH: process.env.PATH, SHOW: join(folder, 'show.sh') },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const plays = async () =>
    (await oms.query('select ad_id, result, clock, ms from ad_plays where device_id = $1', [id])) as {
      ad_id: number
      result: number
    }[]
  const queue = () => (existsSync(join(folder, 'ads/queue')) ? readdirSync(join(folder, 'ads/queue')).length : 0)
  try {
    await expect.poll(async () => (await plays()).length, { timeout: 40_000, interval: 200 }).toBeGreaterThan(2)
    for (const { sha256, bytes } of ads) expect(readFileSync(join(folder, 'ads/media', sha256))).toEqual(bytes)
    net.state.isUp = false
    await expect.poll(queue, { timeout: 40_000, interval: 200 }).toBeGreaterThan(4)
    const before = (await plays()).length
    net.state.isUp = true
    await expect
      .poll(async () => (await plays()).length, { timeout: 60_000, interval: 200 })
      .toBeGreaterThan(before + 4)
    const found = await plays()
    expect(new Set(found.map(({ ad_id }) => ad_id))).toEqual(new Set(ads.map((each) => each.id)))
    // A slow machine shows a file too late for 95 % of two seconds.
    expect(found.some(({ result }) => result === 1)).toBe(true)
    expect(await oms.query('select reason, n from ad_rejects where device_id = $1', [id])).toEqual([])
  } finally {
    if (player.pid !== undefined) process.kill(-player.pid, 'SIGKILL')
    await net.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
