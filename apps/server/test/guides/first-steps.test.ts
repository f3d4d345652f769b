import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { createDevice, createTicketBy } from '#modules/ticket/ticket-fixture.ts'

const app = useApp()
const stepsOf = async (who: Caller) =>
  (await who.call('GET', '/api/v1/home/todo')).data.steps.map(({ key, isDone }: { key: string; isDone: boolean }) => [
    key,
    isDone,
  ])

test('a new installation shows the first setup steps with their state, and hides them when all are done', async () => {
  const admin = await app.by({ superAdmin: true })
  expect(await stepsOf(admin)).toEqual(
    ['tenant', 'type', 'model', 'device', 'firmware', 'release', 'ticket'].map((key) => [key, false]),
  )
  const { modelId } = await createDevice(app.db, 1, { sn: 'STEP0001' })
  expect(Object.fromEntries(await stepsOf(admin))).toMatchObject({
    type: true,
    model: true,
    device: true,
    firmware: false,
  })
  const { rows } = await app.db.execute<{ id: number }>(sql`
    insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date, build_date)
    values (1, ${modelId}, 1, 'V1', now(), now()) returning ota_id as id`)
  await app.db.execute(sql`insert into ota_policies (ota_id, tenant_id) values (${rows[0]!.id}, 1)`)
  await createTicketBy(admin)
  expect(Object.fromEntries(await stepsOf(admin))).toMatchObject({ tenant: false, release: true, ticket: true })
  await app.by({ tenant: '甲公司', permissions: [] })
  expect(await stepsOf(admin)).toEqual([])
})

test('an account sees only the first setup steps that it may perform', async () => {
  await app.db.execute(sql`delete from ota_policies`)
  expect((await stepsOf(await app.as('device:_manage:add'))).map(([key]: [string]) => key)).toEqual(['type'])
  expect(await stepsOf(await app.as('device:_manage:list'))).toEqual([])
  expect(await stepsOf(await app.by({ tenant: '甲公司', permissions: ['device:_manage:add'] }))).toEqual([])
})
