import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProgramInput } from '#test/fixtures/program-fixture.ts'
import { listenForDevices } from '#test/device-port.ts'
import { createStoredAd } from '#test/fixtures/ad-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { blocksOf, readGuide } from './device-guide.ts'

const app = useApp({ OMS_AD_POLL_SECONDS: '5', OMS_AD_TWO_PERSON: 'off' })
const TOKEN = 'token-of-one-screen-0123456789ab'
const RIGHTS = ['list', 'query', 'add', 'publish', 'screen'].map((right) => `advertiseManage:ProgramList:${right}`)
let staff: Caller
let port: Awaited<ReturnType<typeof listenForDevices>>
beforeAll(async () => {
  staff = await app.by({ permissions: RIGHTS })
  port = await listenForDevices(app.services)
  await query(`insert into device_types (type_name, type_code) values ('屏幕', 'screen')`)
  await query(`insert into device_models (type_id, model_name, model_code) values (1, 'S1', 'S1')`)
})
afterAll(() => port.close())

// oxlint-disable-next-line typescript/no-explicit-any -- rows of any statement
const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await app.services.database.pool.query(text, values)).rows

/** Creates a device with a token, as the device list does. */
async function device(sn: string) {
  const hash = createHash('sha256').update(TOKEN).digest()
  const [row] = await query(
    `insert into devices (tenant_id, model_id, sn, token_hash, attributes_wanted) values (1, 1, $1, $2, 0) returning id`,
    [sn, hash],
  )
  await app.services.fleet.ready()
  await app.services.fleet.sync()
  return row.id as number
}

/** Publishes the ads by the calls of the console, each for four seconds. */
async function publish(deviceId: number, ads: readonly { id: number }[]) {
  const items = ads.map(({ id }) => ({ adId: id, duration: 4 }))
  const input = buildProgramInput({ items, targetIds: [deviceId] })
  const { data } = await staff.call('POST', '/api/v1/advertise/program', input)
  expect(await staff.call('POST', `/api/v1/advertise/program/publish/${data.id}`, {})).toMatchObject({
    code: 200,
    data: { screens: 1 },
  })
}

/** Forwards calls to OMS. A broken network closes connections; a silent network never answers. */
async function network() {
  const state: { is: 'up' | 'broken' | 'silent' } = { is: 'up' }
  const server = createServer((request, response) => {
    if (state.is === 'silent') return
    if (state.is === 'broken') return void response.destroy()
    const to = `${port.url}${request.url}`
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

test('AD-08 the shell player of the guide plays, continues without a network, and reports every play once', {
  timeout: 240_000,
}, async () => {
  const sn = 'SCR-GUIDE'
  const id = await device(sn)
  const ads = [await createStoredAd(app), await createStoredAd(app, { bytes: randomBytes(300_000) })]
  const folder = mkdtempSync(join(tmpdir(), 'oms-shell-player-'))
  const [script] = blocksOf(readGuide('ad-players.md'), 'bash')
  expect(script!.body.split('\n').length).toBeLessThanOrEqual(75)
  writeFileSync(join(folder, 'ad-player.sh'), script!.body)
  writeFileSync(join(folder, 'show.sh'), '#!/usr/bin/env bash\nsleep "$2"\n', { mode: 0o755 })
  const net = await network()
  const player = spawn('bash', [join(folder, 'ad-player.sh'), net.url, sn, TOKEN, join(folder, 'ads')], {
    env: { PATH: process.env.PATH, SHOW: join(folder, 'show.sh') },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const plays = async () =>
    (await query('select ad_id, result, clock, ms from ad_plays where device_id = $1', [id])) as {
      ad_id: number
      result: number
      ms: number
    }[]
  const queue = () => (existsSync(join(folder, 'ads/queue')) ? readdirSync(join(folder, 'ads/queue')).length : 0)
  const screens = async () => {
    // The server writes the status of a screen once a minute.
    await app.services.adDelivery.status.flush(true)
    return (await staff.call('GET', `/api/v1/advertise/screen/page?sn=${sn}`)).data.list
  }
  try {
    // The player's first calls make the device a screen, to which the console can publish.
    await expect.poll(screens, { timeout: 60_000, interval: 200 }).toMatchObject([{ id, playerKind: 2 }])
    await publish(id, ads)
    await expect.poll(async () => (await plays()).length, { timeout: 60_000, interval: 200 }).toBeGreaterThan(2)
    for (const { sha256, bytes } of ads) expect(readFileSync(join(folder, 'ads/media', sha256))).toEqual(bytes)
    for (const broken of ['broken', 'silent'] as const) {
      const queued = queue()
      net.state.is = broken
      // The player plays a file in four seconds.
      await expect.poll(queue, { timeout: 40_000, interval: 200 }).toBeGreaterThan(queued + 2)
      const before = (await plays()).length
      net.state.is = 'up'
      await expect
        .poll(async () => (await plays()).length, { timeout: 60_000, interval: 200 })
        .toBeGreaterThan(before + 2)
    }
    const found = await plays()
    expect(new Set(found.map(({ ad_id }) => ad_id))).toEqual(new Set(ads.map((each) => each.id)))
    await expect.poll(screens, { timeout: 20_000, interval: 200 }).toMatchObject([{ deliveryState: 2, totalFiles: 2 }])
    expect(await query('select reason, n from ad_rejects where device_id = $1', [id])).toEqual([])
    // A slow machine shows a file too late for 95 % of four seconds.
    for (const { ms, result } of found) expect(result, `${ms} ms`).toBe(ms >= 3800 ? 1 : 2)
  } finally {
    if (player.pid !== undefined) process.kill(-player.pid, 'SIGKILL')
    await net.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
