import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { mergeVideoSums } from '#modules/storage/clock.ts'
import { usePlayback } from '#test/fixtures/playback-fixture.ts'
import { runStorageVerify } from '#modules/storage/verify.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()
const fixture = usePlayback(app)

test('the nightly check marks lost videos and reports wrong sums once per run without correcting them', async () => {
  const yesterday = addDays(formatLocalDay(new Date(), 'Asia/Shanghai'), -1)
  await app.db.execute(sql`select oms_ensure_video_days(array[${yesterday}::date + 8])`)
  expect(await runStorageVerify(app.services)).toEqual({ findings: 0, missing: 0, failedItems: 0 })

  const camera = await fixture.addCamera(1, null)
  await fixture.record(camera, { from: Date.parse(`${yesterday}T12:00:00+08:00`), count: 2 })
  await mergeVideoSums(app.db)
  const first = await runStorageVerify(app.services)
  expect(first.missing).toBe(2)
  const { rows } = await app.db.execute(sql`select status, count(*)::int as n from oss_segments group by 1`)
  expect(rows).toEqual([{ status: 2, n: 2 }])

  await app.db.execute(sql`insert into oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
    values (${yesterday}::date + 8, 1, 1, 1, 0, 1)`)
  const second = await runStorageVerify(app.services)
  expect([second.missing, second.findings]).toEqual([0, first.findings - 2 + 1])
  const sums = await app.db.execute<{ bytes: string }>(sql`select sum(bytes) as bytes from oss_stored`)
  expect(Number(sums.rows[0]!.bytes)).toBe(1)
  const messages = await app.db.execute<{ title: string; content: string }>(
    sql`select title, content from notices where title like '云存储核对%' order by notice_id`,
  )
  expect(messages.rows).toHaveLength(2)
  expect(messages.rows[0]!.content).toMatch(/录像文件 v\/.* 没有内容/)
  expect(messages.rows[1]!.content).toContain('stored of')
})

test('a failed check of the recordings does not stop the check of the sums', async () => {
  const list = () => {
    throw new Error('no such bucket')
  }
  const { services } = app
  const videos = { media: { list, peek: list } } as unknown as typeof services.videos
  await app.db.execute(sql`insert into oss_ends (day, tenant_id, package_id, n) values ('2026-01-01', 1, 1, 1)`)
  await app.db.execute(sql`update oss_segments set status = 1`)
  const broken = { ...services, videos }
  const { failedItems, findings } = await runStorageVerify(broken)
  expect(failedItems).toBe(1)
  expect(findings).toBeGreaterThan(0)
})
