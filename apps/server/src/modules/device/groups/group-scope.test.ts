import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()
const GROUP = '/api/v1/device/group'
const PERMISSIONS = ['list', 'query', 'add', 'edit', 'remove'].map((key) => `device:deviceGroup:${key}`)
const REFUSED = { code: 501, msg: '该分组包含您数据范围之外的设备，您只能查看' }

async function tenantOf(name: string) {
  await app.by({ tenant: name })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]!.id
}

async function deviceOf(tenantId: number, sn: string) {
  await app.db.execute(
    sql`insert into device_types (id, type_name, type_code) values (1, '类型', 'T1') on conflict do nothing`,
  )
  await app.db.execute(sql`insert into device_models (id, type_id, model_name, model_code) values (1, 1, '型号', 'M1')
    on conflict do nothing`)
  const { rows } = await app.db.execute<{ id: number }>(
    sql`insert into devices (tenant_id, model_id, sn) values (${tenantId}, 1, ${sn}) returning id`,
  )
  return rows[0]!.id
}

test('limited staff can change a platform group only while all its devices are in their data scope', async () => {
  const [inside, outside] = [await tenantOf('范围内'), await tenantOf('范围外')]
  const admin = await app.by({ superAdmin: true })
  const limited = await app.by({ permissions: PERMISSIONS, dataScope: 3, scopeIds: [inside] })
  const made = async (input: object) => (await admin.call('POST', GROUP, input)).data.id as number
  const join = (group: number, device: number) =>
    app.db.execute(sql`insert into device_group_members (group_id, device_id) values (${group}, ${device})`)
  const [own, mixed] = [await made({ groupName: '只有范围内' }), await made({ groupName: '也有范围外' })]
  const dynamic = await made({ groupName: '规则', kind: 2, rule: { modelIds: [1] } })
  const near = await deviceOf(inside, 'NEAR1')
  for (const group of [own, mixed]) await join(group, near)
  await join(mixed, await deviceOf(outside, 'FAR1'))

  const stop = async (id: number, kind: number) => {
    const { data } = await admin.call('GET', `${GROUP}/${id}`)
    const { groupName, parentId, rule, rev } = data
    return limited.call('PUT', GROUP, { id, rev, groupName, parentId, kind, ...(rule && { rule }), status: 0 })
  }
  expect([await stop(mixed, 1), await stop(dynamic, 2)]).toMatchObject([REFUSED, REFUSED])
  expect(await limited.call('DELETE', `${GROUP}/${mixed}`)).toMatchObject(REFUSED)
  expect(await stop(own, 1)).toMatchObject({ code: 200 })
  expect(await limited.call('DELETE', `${GROUP}/${own}`)).toMatchObject({ code: 200 })
})
