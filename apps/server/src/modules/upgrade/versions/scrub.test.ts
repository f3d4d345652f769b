import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { isScrubDue, verifyComponentFiles } from './scrub.ts'
import { createComponent, createVersion, FIRMWARE_PERMISSIONS, readVersion, createModel } from './version-fixture.ts'

const server = useApp()
const enable = (me: Caller, otaId: number) => me.call('POST', `/api/v1/device/ota/ver/enable/${otaId}`)
const alarms = async (me: Caller) =>
  (await me.call('GET', '/api/v1/device/ota/alarm/list')).data.list as { id: number; otaId: number; message: string }[]
const pathOf = (sha256: string) => join(server.dataDir, 'files', sha256.slice(0, 2), sha256.slice(2, 4), sha256)
const shaOf = (part: object | undefined) => (part as { sha256: string }).sha256

test('a damaged component disables its version, opens one alarm, notifies accounts that may enable, and is logged', async () => {
  const me = await server.by({ tenant: '巡检公司', permissions: FIRMWARE_PERMISSIONS })
  const other = await server.by({ tenant: '别家公司', permissions: FIRMWARE_PERMISSIONS })
  const vendor = await server.as('upgrade:ota:add')
  const good = await createVersion(me, { modelId: await createModel(vendor) })
  const bad = await createVersion(me, { modelId: await createModel(vendor) })
  for (const { otaId } of [good, bad]) await enable(me, otaId)
  const path = pathOf(shaOf(bad.components[0]))
  const bytes = readFileSync(path)
  bytes[100] = bytes[100]! ^ 1
  writeFileSync(path, bytes)
  expect(await verifyComponentFiles(server.services)).toMatchObject({ damaged: 1, more: false })

  expect((await readVersion(me, bad.otaId)).otaVersion.status).toBe(2)
  expect((await readVersion(me, good.otaId)).otaVersion.status).toBe(1)
  const open = await alarms(me)
  expect(open).toMatchObject([{ otaId: bad.otaId, message: expect.stringContaining('组件「主程序」文件已损坏或丢失') }])
  expect(await alarms(other)).toEqual([])
  const { data: inbox } = await me.call('GET', '/api/v1/sys/notice/mine')
  expect(JSON.stringify(inbox)).toContain('固件版本文件损坏：秋季版')
  const { pool } = server.services.database
  const { rows } = await pool.query(
    `select action, uid from oper_logs where title = '每周核对组件文件' and biz_id = $1`,
    [String(bad.otaId)],
  )
  expect(rows).toMatchObject([{ action: expect.stringContaining('版本已自动停用'), uid: null }])

  expect(await verifyComponentFiles(server.services)).toMatchObject({ damaged: 0 })
  expect(await alarms(me)).toHaveLength(1)
  const id = open[0]?.id
  expect((await other.call('POST', `/api/v1/device/ota/alarm/close/${id}`)).msg).toBe('告警不存在或已被删除')
  const viewer = await server.by({ tenant: '巡检公司', permissions: ['upgrade:ota:list'] })
  expect(await viewer.call('POST', `/api/v1/device/ota/alarm/close/${id}`)).toMatchObject({ code: 501 })
  expect((await me.call('POST', `/api/v1/device/ota/alarm/close/${id}`)).msg).toBe('告警已关闭')
  expect((await me.call('POST', `/api/v1/device/ota/alarm/close/${id}`)).code).toBe(400)
  expect(await alarms(me)).toEqual([])
})

test('a missing file disables every version that contains the file', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const part = await createComponent(me)
  const both = [await createVersion(me, {}, [part]), await createVersion(me, {}, [part])]
  for (const { otaId } of both) await enable(me, otaId)
  await server.services.files.remove(shaOf(part))
  expect(await verifyComponentFiles(server.services)).toMatchObject({ damaged: 2 })
  for (const { otaId } of both) expect((await readVersion(me, otaId)).otaVersion.status).toBe(2)
})

test('an interrupted verification run continues after the last verified file', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  for (let n = 0; n < 3; n += 1) await enable(me, (await createVersion(me)).otaId)
  const { files } = server.services
  const { checked: all } = await verifyComponentFiles(server.services)
  expect(all).toBeGreaterThanOrEqual(3)
  const seen: string[] = []
  const openRead = files.openRead.bind(files)
  const stop = new AbortController()
  files.openRead = async (...given) => {
    seen.push(given[0])
    if (seen.length === 2) stop.abort()
    return openRead(...given)
  }
  try {
    await verifyComponentFiles(server.services, { signal: stop.signal }).catch(() => {})
    const first = [...seen]
    expect(first).toHaveLength(2)
    await verifyComponentFiles(server.services)
    const rest = seen.slice(2)
    // The interrupted content is read again, so that no content is skipped.
    expect(rest[0]).toBe(first[1])
    expect(new Set(seen).size).toBe(all)
  } finally {
    files.openRead = openRead
  }
})

test('a temporary read error does not count as damage: the other files are verified and the job fails', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const { otaId } = await createVersion(me)
  await enable(me, otaId)
  const { files } = server.services
  const openRead = files.openRead.bind(files)
  files.openRead = async () => {
    throw new Error('the store does not answer')
  }
  try {
    await expect(verifyComponentFiles(server.services)).rejects.toThrow('could not be read')
  } finally {
    files.openRead = openRead
  }
  expect((await readVersion(me, otaId)).otaVersion.status).toBe(1)
})

test.each([
  ['2026-11-20T18:30:00Z', '2026-11-13T18:30:10Z', null, true, 'night, a week after the last'],
  ['2026-11-20T18:30:00Z', '2026-11-14T18:00:00Z', null, false, 'night, made this week'],
  ['2026-11-20T18:30:00Z', '2026-11-20T17:10:00Z', randomBytes(4).toString('hex'), true, 'night, under way'],
  ['2026-11-20T04:30:00Z', '2026-11-12T18:00:00Z', null, false, 'noon'],
  ['2026-11-20T04:30:00Z', '2026-11-12T04:00:00Z', 'ab', true, 'noon, overdue'],
])(
  'at %s with the last run started at %s and cursor %s, a verification run is due: %s (%s)',
  (at, startedAt, cursor, due, _why) => {
    const services = { config: server.services.config, now: () => new Date(at) }
    expect(isScrubDue(services, { startedAt, cursor, checked: 0 })).toBe(due)
  },
)
