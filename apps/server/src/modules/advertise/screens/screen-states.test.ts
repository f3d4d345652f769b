import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { createScreens } from '#test/fixtures/program-fixture.ts'
import { notifyScreenFailures } from './screen-states.ts'

const server = useApp()

test('AD-07 a screen with a failed file causes one message to the accounts that manage screens', async () => {
  const staff = await server.by({ permissions: ['advertiseManage:ProgramList:screen'] })
  const { ids, sns } = await createScreens(server.db, { count: 3 })
  const setFailed = (failed: string, ...which: number[]) =>
    server.db.execute(
      sql`update ad_screens set failed = ${failed}::jsonb where device_id = any(${sql.param(which)}::int[])`,
    )
  const notify = (hours = 0) => notifyScreenFailures(server.services, new Date(Date.now() + hours * 3_600_000))
  const messages = async () =>
    (
      await server.db.execute<{ title: string; content: string; ids: number[] }>(
        sql`select title, content, target_ids as ids from notices where title like '%失败' order by notice_id`,
      )
    ).rows
  await setFailed('[{"sha256":"","reason":"hash"}]', ids[0]!, ids[2]!)
  expect(await notify()).toMatchObject({ screens: 2 })
  expect(await notify()).toMatchObject({ screens: 0 })
  const [first] = await messages()
  expect(first).toMatchObject({ title: '2 块屏幕的广告文件下载或播放失败' })
  expect(first!.ids).toContain(staff.uid)
  expect(first!.content).toContain(`${sns[0]}：文件校验不一致`)
  expect(first!.content).not.toContain(`${sns[1]}：`)
  // A screen that recovers is announced again after six hours at the earliest.
  await setFailed('[]', ids[0]!)
  await notify(5)
  await setFailed('[{"sha256":"","reason":"校验失败"}]', ids[0]!)
  expect(await notify(5)).toMatchObject({ screens: 0 })
  await setFailed('[]', ids[0]!)
  await notify(7)
  await setFailed('[{"sha256":"","reason":"校验失败"}]', ids[0]!)
  expect(await notify(7)).toMatchObject({ screens: 1 })
  expect(await messages()).toHaveLength(2)
})
