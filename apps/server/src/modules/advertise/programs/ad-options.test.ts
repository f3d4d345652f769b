import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { createApprovedAd, formatDayFromToday } from '#test/fixtures/program-fixture.ts'

const app = useApp()

test('AD-04 the editor offers no ads whose last day or last day of the approval number has passed', async () => {
  const staff = await app.by({ permissions: ['advertiseManage:ProgramList:query'] })
  const [today, yesterday] = [formatDayFromToday(0), formatDayFromToday(-1)]
  const add = async (name: string, validTo: string | null, approvalUntil: string | null) => {
    const id = await createApprovedAd(app.db, { name: `可选${name}` })
    await app.db.execute(sql`update ads set valid_to = ${validTo}, approval_until = ${approvalUntil} where id = ${id}`)
  }
  await add('长期', null, null)
  await add('最后一天', today, today)
  await add('已过期', yesterday, null)
  await add('批准文号过期', null, yesterday)
  const { list } = (
    await staff.call('GET', `/api/v1/advertise/program/option/ad?keyword=${encodeURIComponent('可选')}`)
  ).data
  expect(list.map(({ adName }: { adName: string }) => adName)).toEqual(['可选最后一天', '可选长期'])
})
