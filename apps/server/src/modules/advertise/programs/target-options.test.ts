import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import type { User } from '#core/http/context.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { createScreens } from '#test/fixtures/program-fixture.ts'
import { checkTargets } from './program-targets.ts'

const app = useApp()
const ROOT = '/api/v1/advertise/program/option'
const QUERY = 'advertiseManage:ProgramList:query'

let paired: Awaited<ReturnType<typeof createScreens>>
let staff: Caller
beforeAll(async () => {
  paired = await createScreens(app.db, { count: 1 })
  await app.db.execute(sql`insert into device_models (type_id, model_name, model_code)
    select type_id, '空型号', 'EMPTY' from device_models where id = ${paired.modelId}`)
  await app.db.execute(sql`insert into devices (sn, dev_name, tenant_id, model_id)
    select 'UNPAIRED-1', '大堂', 1, id from device_models where model_code = 'EMPTY'`)
  staff = await app.by({ permissions: [QUERY, 'advertiseManage:ProgramList:screen'] })
})

interface Option {
  readonly name: string
  readonly hasScreen: boolean
}
async function list(call: string, caller: Caller = staff) {
  const { code, data } = await caller.call('GET', `${ROOT}/${call}`)
  expect(code).toBe(200)
  return (data.list as Option[]).map(({ name, hasScreen }) => [name, hasScreen])
}

test.each(['target?targetType=1&', 'screen?'])(
  'AD-04 %s a search without a paired screen names the unpaired devices',
  async (call) => {
    expect(await list(`${call}keyword=`)).toEqual([[paired.sns[0], true]])
    expect(await list(`${call}keyword=${paired.sns[0]}`)).toEqual([[paired.sns[0], true]])
    expect(await list(`${call}keyword=UNPAIRED`)).toEqual([['UNPAIRED-1', false]])
    expect(await list(`${call}keyword=${encodeURIComponent('大堂')}`)).toEqual([['UNPAIRED-1', false]])
    expect(await list(`${call}keyword=NOTHING`)).toEqual([])
  },
)

test('AD-04 only accounts that may pair screens or list devices see the names of unpaired devices', async () => {
  const viewer = await app.by({ permissions: [QUERY] })
  const clerk = await app.by({ permissions: [QUERY, 'device:apkManage:list'] })
  expect(await list('target?targetType=1&keyword=UNPAIRED', viewer)).toEqual([])
  expect(await list('target?targetType=1&keyword=UNPAIRED', clerk)).toEqual([['UNPAIRED-1', false]])
})

test('AD-04 an account of another tenant sees no unpaired device of the platform', async () => {
  const other = await app.by({ tenant: '别的客户', permissions: [QUERY, 'advertiseManage:ProgramList:screen'] })
  expect(await list('target?targetType=1&keyword=UNPAIRED', other)).toEqual([])
})

test('AD-04 groups, models and tenants say whether they contain a paired screen', async () => {
  await app.db.execute(sql`insert into device_groups (tenant_id, group_name, kind, rule) values
    (1, '静态有屏', 1, null), (1, '静态无屏', 1, null),
    (1, '动态有屏', 2, ${JSON.stringify({ modelIds: [paired.modelId] })}::jsonb),
    (1, '动态无屏', 2, ${JSON.stringify({ snPrefix: 'UNPAIRED' })}::jsonb)`)
  await app.db.execute(sql`insert into device_group_members (group_id, device_id)
    select g.id, d.id from device_groups g join devices d
      on d.id = ${paired.ids[0]} and g.group_name = '静态有屏' or d.sn = 'UNPAIRED-1' and g.group_name = '静态无屏'`)
  expect(await list('target?targetType=2')).toEqual([
    ['静态有屏', true],
    ['静态无屏', false],
    ['动态有屏', true],
    ['动态无屏', false],
  ])
  const models = await list('target?targetType=3')
  expect(models).toEqual(expect.arrayContaining([['空型号', false]]))
  expect(models.filter(([, hasScreen]) => hasScreen)).toHaveLength(1)
  await app.db.execute(sql`insert into tenants (name, tenant_no) values ('无屏客户', 'T-EMPTY')`)
  const tenants = await list('target?targetType=4')
  expect(tenants).toEqual(expect.arrayContaining([['无屏客户', false]]))
  expect(tenants.filter(([, hasScreen]) => hasScreen)).toHaveLength(1)
})

test('AD-04 a disabled tenant is neither offered nor accepted as a target', async () => {
  await app.by({ tenant: '已停用客户' })
  const { rows } = await app.db.execute<{ id: number }>(
    sql`update tenants set status = 0 where name = '已停用客户' returning id`,
  )
  const keyword = encodeURIComponent('已停用客户')
  expect(await list(`target?targetType=4&keyword=${keyword}`)).toEqual([])
  const target = { tenantId: 1, targetType: 4, targetIds: [rows[0]!.id], isDefault: 0 }
  const user = { isPlatform: true, tenantId: 1, scope: { tenants: 'all', ownOnly: false } } as unknown as User
  await expect(checkTargets({ db: app.db, user }, target)).rejects.toThrow('客户「已停用客户」已停用')
})
