import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const server = useApp()
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'edit', 'publish'].map((action) => `advertiseManage:ProgramList:${action}`)

test("AD-05 moving a device to another tenant removes it from the targets of its former tenant's programs", async () => {
  const former = await server.by({ tenant: '原客户', permissions: PERMISSIONS })
  const next = await server.by({ tenant: '新客户', permissions: PERMISSIONS })
  const tenantOf = async ({ uid }: Caller) => {
    const { rows } = await server.db.execute<{ id: number }>(`select tenant_id as id from accounts where uid = ${uid}`)
    return rows[0]!.id
  }
  const [formerId, nextId] = [await tenantOf(former), await tenantOf(next)]
  const mover = await server.as('device:apkManage:transfer')
  const adId = await createApprovedAd(server.db, { tenantId: formerId })
  const { ids, sns } = await createScreens(server.db, { tenantId: formerId, count: 2 })
  const [stays, moves] = ids as [number, number]
  const fields = { items: [{ adId }], targetIds: ids }
  const id = (await former.call('POST', ROOT, buildProgramInput(fields))).data.id as number
  const read = async () => (await former.call('GET', `${ROOT}/${id}`)).data
  const publish = () => former.call('POST', `${ROOT}/publish/${id}`)
  expect((await publish()).data).toMatchObject({ screens: 2 })

  const moved = await mover.call('POST', '/api/v1/device/info/transfer', { ids: [moves], tenantId: nextId })
  expect(moved).toMatchObject({ code: 200, data: { done: 1 } })
  const { targets, rev } = await read()
  expect(targets.map(({ name }: { name: string }) => name)).toEqual([sns[0]])
  const save = (targetIds: readonly number[], programName: string) =>
    former.call('PUT', ROOT, { ...buildProgramInput({ ...fields, targetIds, programName }), id, rev })
  expect(await save(ids, '改名')).toMatchObject({
    code: 400,
    msg: '投放对象不存在或已被删除',
    data: { field: 'targetIds' },
  })
  expect(await save([stays], '改名')).toMatchObject({ code: 200 })
  expect((await publish()).data).toMatchObject({ verNo: 2, screens: 1 })
})
