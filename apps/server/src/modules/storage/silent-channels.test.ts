import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { START_MS, ENTITLEMENT_URL as URL, useStorage } from '#test/fixtures/storage-fixture.ts'
import { recordDueEntitlements } from './clock.ts'
import { notifySilentChannels } from './silent-channels.ts'

const HOUR_MS = 3_600_000
const STAT = '/api/v1/oss/statistics'
const app = useApp()
const { setNow, clock, call, newDevice, open, step, rowsOf } = useStorage(app)

test('STORAGE-13 online cameras that should record but upload nothing are listed and reported to staff once a day', async () => {
  setNow(START_MS)
  const [silent, offline, recent, paused, events] = await Promise.all(Array.from({ length: 5 }, () => newDevice()))
  await call('POST', '/api/v1/oss/package', {
    packageName: '事件',
    packageCode: 'EV',
    recordType: 2,
    storageDays: 7,
    periodType: 2,
    periodCount: 1,
    price: 0,
  })
  const { data } = await call('GET', '/api/v1/oss/package/page?packageCode=EV')
  await open([silent!, offline!, recent!, paused!])
  await open([events!], 'M1', { packageId: data.list[0].id })
  await app.db.execute(sql`update devices set online = (sn <> ${offline})::int`)
  const shown = async () => (await call('GET', `${STAT}/trouble`)).data.list.map(({ sn }: { sn: string }) => sn)
  expect(await shown()).toEqual([])
  await step(
    'suspend',
    (await rowsOf(paused!)).map(({ id }) => id),
  )
  setNow(START_MS + 3 * HOUR_MS)
  await app.db.execute(sql`insert into oss_device_status (device_id, channel, tenant_id, upload_time)
    select id, 0, 1, ${new Date(START_MS + 2 * HOUR_MS).toISOString()} from devices where sn = ${recent}`)
  expect(await shown()).toEqual([silent])
  expect((await call('GET', `${URL}/page?sn=${recent}`)).data.list[0].uploadTime).toBe('2026-05-01 12:00:00')

  const messages = async () =>
    (
      await app.db.execute<{ title: string; summary: string }>(
        sql`select title, summary from notices where title like '%没有上传录像%' order by notice_id`,
      )
    ).rows
  await notifySilentChannels(app.services)
  await notifySilentChannels(app.services)
  expect(await messages()).toMatchObject([{ title: expect.stringMatching(/^1 个通道超过 2 小时没有上传录像 · .+/) }])
  expect((await messages())[0]!.summary).toContain(silent)
  setNow(START_MS + 24 * HOUR_MS)
  await notifySilentChannels(app.services)
  expect(await messages()).toHaveLength(2)
})

test('STORAGE-13 a camera with recording switched off is not listed, and a camera without uploads stays listed when its next package begins', async () => {
  setNow(START_MS)
  const [off, told, stacked] = await Promise.all(Array.from({ length: 3 }, () => newDevice()))
  await open([off!, told!])
  await open([stacked!], 'W1', { copies: 2 })
  await app.db.execute(sql`update devices set online = 1 where sn in (${off}, ${told}, ${stacked})`)
  await app.db.execute(
    sql`update oss_queues q set switched_off = 1 from devices d where d.id = q.device_id and d.sn = ${off}`,
  )
  const shown = async () =>
    (await call('GET', `${STAT}/trouble?pageSize=50`)).data.list
      .map(({ sn }: { sn: string }) => sn)
      .filter((sn: string) => [off, told, stacked].includes(sn))
  // The second of the two packages of the camera `stacked` has been in force for an hour.
  setNow(START_MS + (7 * 24 + 1) * HOUR_MS)
  await recordDueEntitlements(app.services)
  await app.db.execute(sql`insert into oss_device_status (device_id, channel, tenant_id, answer, ask_time)
    select id, 0, 1, 'switch', ${new Date(clock.now - HOUR_MS).toISOString()} from devices where sn = ${told}`)
  expect(await shown()).toEqual([stacked])
  setNow(clock.now + 2 * HOUR_MS)
  expect((await shown()).toSorted()).toEqual([told, stacked].toSorted())
})
