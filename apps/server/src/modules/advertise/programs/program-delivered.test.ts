import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { markDelivered } from './program-schedule.ts'
import { createApprovedAd, buildProgramInput, createScreens } from '#test/fixtures/program-fixture.ts'

const server = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'edit', 'publish', 'pause'].map((a) => `advertiseManage:ProgramList:${a}`)

let staff: Caller
let ids: number[]
let id: number
beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  const ad = await createApprovedAd(server.db)
  ;({ ids } = await createScreens(server.db, { count: 3 }))
  const body = buildProgramInput({ items: [{ adId: ad }], targetIds: ids })
  id = (await staff.call('POST', ROOT, body)).data.id
  await staff.call('POST', `${ROOT}/publish/${id}`, {})
})

const mark = () => markDelivered(server.services, server.services.now())
const statusOf = async () => (await staff.call('GET', `${ROOT}/${id}`)).data.status
const listed = async (status: number) =>
  (await staff.call('GET', `${ROOT}/page?status=${status}`)).data.list.map((row: { id: number }) => row.id)

/** Stores a report of screens that have the manifest in force, with `lacking` missing files, `minutes` ago. */
async function report(devices: readonly number[], { lacking = 0, minutes = 0 } = {}) {
  const { fleet, adDelivery } = server.services
  await fleet.ready()
  for (const deviceId of devices) {
    const { etag } = adDelivery.index.manifestOf(fleet.slots.slotOf(deviceId))
    await server.db.execute(sql`update ad_screens set applied_etag = ${etag}, total_files = 2, ready_files = ${2 - lacking},
      last_report_time = now() - make_interval(mins => ${minutes}) where device_id = ${deviceId}`)
  }
}
async function loadedVersion() {
  await server.services.fleet.ready()
  return server.services.adDelivery.index.programs.get(id)?.body.verNo
}

test('AD-05 a program counts as delivered when 99 % of the screens with a report of the last hour have it', async () => {
  await expect.poll(loadedVersion, { timeout: 20_000 }).toBe(1)
  expect([await mark(), await statusOf()]).toEqual([0, 2])
  await report(ids.slice(0, 1))
  await report(ids.slice(1, 2), { lacking: 1 })
  expect([await mark(), await statusOf()]).toEqual([0, 2])
  expect([await listed(2), await listed(3)]).toEqual([[id], []])
  // The screen that lacks a file reported more than an hour ago; the third screen never reported.
  await report(ids.slice(1, 2), { lacking: 1, minutes: 61 })
  expect([await mark(), await statusOf()]).toEqual([1, 3])
  expect([await listed(2), await listed(3)]).toEqual([[], [id]])
  await report(ids, { lacking: 1 })
  expect([await mark(), await statusOf()]).toEqual([0, 3])
})

test('AD-05 resuming a program resets its status to 发布中', async () => {
  await staff.call('POST', `${ROOT}/pause/${id}`, {})
  expect([await statusOf(), await listed(3)]).toEqual([4, []])
  await staff.call('POST', `${ROOT}/resume/${id}`, {})
  expect([await statusOf(), await listed(2)]).toEqual([2, [id]])
})
