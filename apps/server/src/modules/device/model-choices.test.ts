import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const server = useApp()
const LIST = '/api/v1/device/model/simple/list'
const QUICK = '/api/v1/device/model/quick'
const author = () => server.as('upgrade:ota:list', 'upgrade:ota:add')

test('a model can be created together with a new type, is found by name or code, and is listed with its type', async () => {
  const me = await author()
  const model = { modelName: '门铃 Pro', modelCode: 'DB-100', typeName: '门铃', typeCode: 'doorbell' }
  const { data, msg } = await me.call('POST', QUICK, model)
  expect(msg).toBe('新增成功')
  expect(data).toEqual({
    modelId: expect.any(Number),
    modelName: '门铃 Pro',
    modelCode: 'DB-100',
    typeId: expect.any(Number),
    typeName: '门铃',
    hasBoards: false,
  })
  for (const keyword of ['门铃', 'pro', 'db-1'])
    expect((await me.call('GET', `${LIST}?keyword=${encodeURIComponent(keyword)}`)).data).toEqual([data])
  expect((await me.call('GET', `${LIST}?keyword=%25`)).data).toEqual([])
  expect((await me.call('GET', '/api/v1/device/type/simple/list?keyword=bell')).data).toEqual([
    { typeId: data.typeId, typeName: '门铃', typeCode: 'doorbell' },
  ])
  const second = await me.call('POST', QUICK, { modelName: '门铃 Mini', modelCode: 'DB-50', typeId: data.typeId })
  expect(second.data).toMatchObject({ typeId: data.typeId, typeName: '门铃' })
})

test.each([
  [{ modelName: '' }, '请输入型号名称', 'modelName'],
  [{ modelCode: '有空格 ' }, '型号编码只能包含字母、数字和 _ . -', 'modelCode'],
  [{ typeName: '' }, '请选择设备类型或输入类型名称', 'typeName'],
  [{ typeCode: '' }, '请输入类型编码', 'typeCode'],
  [{ typeId: 999_999 }, '设备类型不存在或已停用', 'typeId'],
])('a new device model with %o is refused: %s', async (over, msg, field) => {
  const me = await author()
  const model = { modelName: '相机', modelCode: 'CAM', typeName: '摄像机', typeCode: 'camera', ...over }
  expect(await me.call('POST', QUICK, model)).toEqual({ code: 400, msg, data: { field } })
  expect((await me.call('GET', `${LIST}?keyword=CAM`)).data).toEqual([])
})

test('names and codes of models are unique, and a refused model creates no type', async () => {
  const me = await author()
  const model = { modelName: '音箱 A', modelCode: 'SP-A', typeName: '音箱', typeCode: 'speaker' }
  expect((await me.call('POST', QUICK, model)).code).toBe(200)
  const other = { modelName: '音箱 B', modelCode: 'SP-B', typeName: '智能音箱', typeCode: 'smart' }
  const refused = async (over: object, msg: string, field: string) =>
    expect(await me.call('POST', QUICK, { ...other, ...over })).toEqual({ code: 400, msg, data: { field } })
  await refused({ modelName: '音箱 A' }, '型号名称已存在', 'modelName')
  await refused({ modelCode: 'SP-A' }, '型号编码已存在', 'modelCode')
  await refused({ typeName: '音箱' }, '类型名称已存在', 'typeName')
  await refused({ typeCode: 'speaker' }, '类型编码已存在', 'typeCode')
  expect((await me.call('GET', '/api/v1/device/type/simple/list?keyword=smart')).data).toEqual([])
})

test('reading models requires upgrade:ota:list, and creating a model requires upgrade:ota:add', async () => {
  const reader = await server.as('upgrade:ota:list')
  expect((await reader.call('GET', LIST)).code).toBe(200)
  expect(await reader.call('POST', QUICK, {})).toMatchObject({ code: 501, msg: '您没有权限！' })
  expect(await (await server.as()).call('GET', LIST)).toMatchObject({ code: 501, msg: '您没有权限！' })
})

test('a disabled model is not offered for selection and accepts no new version', async () => {
  const me = await author()
  const model = { modelName: '旧款', modelCode: 'OLD', typeName: '旧类', typeCode: 'old' }
  const { data } = await me.call('POST', QUICK, model)
  await server.services.database.pool.query('update device_models set status = 0 where id = $1', [data.modelId])
  expect((await me.call('GET', `${LIST}?keyword=OLD`)).data).toEqual([])
})

test('the boards reported by voice devices are listed; only the platform sees boards of unbound devices', async () => {
  const query = (text: string) => server.services.database.pool.query(text)
  const guest = await server.by({ tenant: '戊公司', permissions: ['device:updateManage:list'] })
  await query(`insert into agent_devices (device_id, tenant_id, agent_id, mac, board)
    select -n, case n when 3 then (select id from tenants where name = '戊公司') else 1 end, 1, 'aabbccddf00' || n,
      case n when 3 then 'board-b' when 4 then '' else 'board-a' end from generate_series(1, 4) n`)
  await query(`insert into agent_codes (mac, code, board, expire_time) values
    ('aabbccddf010', '910001', 'board-c', now() + interval '1 hour'), ('aabbccddf011', '910002', 'board-a', now() + interval '1 hour'),
    ('aabbccddf012', '910003', 'board-d', now() - interval '1 hour')`)
  const boardsOf = async (caller: Awaited<ReturnType<typeof server.as>>) =>
    (await caller.call('GET', '/api/v1/device/model/boards')).data.list
  const staff = await server.as('device:updateManage:list')
  expect(await boardsOf(staff)).toEqual([
    { board: 'board-a', devices: 2 },
    { board: 'board-b', devices: 1 },
    { board: 'board-c', devices: 0 },
  ])
  expect(await boardsOf(guest)).toEqual([{ board: 'board-b', devices: 1 }])
  expect((await author().then((me) => me.call('GET', '/api/v1/device/model/boards'))).code).toBe(501)
})
