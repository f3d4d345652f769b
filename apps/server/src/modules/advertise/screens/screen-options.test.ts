import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()

test('the pairing form lists devices of models with paired screens first and models with cloud storage last', async () => {
  await app.db.execute(sql`insert into device_types (type_name, type_code) values ('屏幕', 'screen')`)
  await app.db.execute(sql`insert into device_models (type_id, model_name, model_code, cloud_channels)
    values (1, '门铃', 'D1', 1), (1, '网关', 'G1', 0), (1, '广告机', 'S1', 0), (1, '带录像的广告机', 'S2', 1)`)
  await app.db.execute(sql`insert into devices (sn, tenant_id, model_id)
    values ('A-门铃', 1, 1), ('B-网关', 1, 2), ('C-广告机', 1, 3), ('D-广告机', 1, 3), ('E-录像', 1, 4), ('F-录像', 1, 4)`)
  const staff = await app.by({ permissions: ['advertiseManage:ProgramList:screen'] })
  const listed = async (keyword = '') => {
    const { data } = await staff.call('GET', `/api/v1/advertise/screen/devices?keyword=${keyword}`)
    return data.list.map(({ name }: { name: string }) => name)
  }
  expect(await listed()).toEqual(['B-网关', 'C-广告机', 'D-广告机', 'A-门铃', 'E-录像', 'F-录像'])
  await app.db.execute(sql`insert into ad_screens (device_id, tenant_id, player_kind, player_token_hash)
    select id, tenant_id, 1, sn from devices where sn in ('C-广告机', 'E-录像')`)
  expect(await listed()).toEqual(['C-广告机', 'D-广告机', 'E-录像', 'F-录像', 'B-网关', 'A-门铃'])
  expect(await listed('录像')).toEqual(['E-录像', 'F-录像'])
})
