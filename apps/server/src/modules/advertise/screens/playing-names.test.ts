import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { createScreens } from '#test/fixtures/program-fixture.ts'

const app = useApp()
const ROOT = '/api/v1/advertise'
const PERMISSIONS = ['list', 'query'].map((action) => `advertiseManage:ProgramList:${action}`)

test('AD-12 a screen shows content names of its tenant and the platform, never of other or former tenants', async () => {
  const [own, other] = [
    await app.by({ tenant: '屏幕客户', permissions: PERMISSIONS }),
    await app.by({ tenant: '别家客户', permissions: PERMISSIONS }),
  ]
  const tenantOf = async ({ uid }: Caller) => {
    const { rows } = await app.db.execute<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${uid}`)
    return rows[0]!.id
  }
  const [ownId, otherId] = [await tenantOf(own), await tenantOf(other)]
  const { ids, sns } = await createScreens(app.db, { tenantId: ownId, count: 1 })
  const tenants = { 51: ownId, 52: otherId, 53: 1 }
  for (const [id, tenantId] of Object.entries(tenants)) {
    await app.db.execute(sql`insert into ads (id, tenant_id, ad_name, ad_type)
      values (${Number(id)}, ${tenantId}, ${`广告${id}`}, 1)`)
    await app.db.execute(sql`insert into ad_programs (id, tenant_id, program_name, date_from, date_to)
      values (${Number(id)}, ${tenantId}, ${`节目${id}`}, current_date, current_date)`)
  }
  const shownTo = async (who: Caller, id: number) => {
    const playing = JSON.stringify({ programId: id, itemId: 1, adId: id, since: Date.now() })
    await app.db.execute(sql`update ad_screens set now_playing = ${playing}::jsonb, last_report_time = now()
      where device_id = ${ids[0]}`)
    const [row] = (await who.call('GET', `${ROOT}/screen/page?sn=${sns[0]}`)).data.list
    const single = (await who.call('GET', `${ROOT}/screen/${sns[0]}`)).data
    const { reported } = (await who.call('GET', `${ROOT}/program/agenda?sn=${sns[0]}`)).data
    return new Set([row, single, reported].map(({ adName, programName }) => `${adName}${programName}`))
  }
  expect(await shownTo(own, 51)).toEqual(new Set(['广告51节目51']))
  expect(await shownTo(own, 52)).toEqual(new Set(['']))
  expect(await shownTo(own, 53)).toEqual(new Set(['广告53节目53']))
  await app.db.execute(sql`update ads set deleted_at = now() where id = 51`)
  expect(await shownTo(own, 51)).toEqual(new Set(['广告51节目51']))
  await app.db.execute(sql`update devices set tenant_id = ${otherId} where id = ${ids[0]}`)
  expect(await shownTo(other, 51)).toEqual(new Set(['']))
  expect(await shownTo(other, 52)).toEqual(new Set(['广告52节目52']))
})
