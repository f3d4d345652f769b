import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  createComponent,
  FIRMWARE_PERMISSIONS,
  createModel,
  SOFTWARE_PERMISSIONS,
  buildVersion,
} from './ota-fixture.ts'

const server = useApp()
let serial = 0

/** Creates devices of a model: the given number of devices for each version. */
async function fleet(modelId: number, tenantId: number, running: readonly (readonly [number | null, number])[]) {
  for (const [verCode, count] of running)
    for (let n = 0; n < count; n += 1)
      await server.services.database.pool.query(
        'insert into devices (tenant_id, model_id, sn, ver_code) values ($1, $2, $3, $4)',
        [tenantId, modelId, `GRAPH-${(serial += 1)}`, verCode],
      )
}

async function add(
  me: Caller,
  modelId: number,
  [verCode, oldVerMin, oldVerMax]: readonly (number | null)[],
  enable = true,
) {
  const otaVersion = buildVersion(modelId, { verCode, verName: `V${verCode}`, oldVerMin, oldVerMax })
  const { data } = await me.call('POST', '/api/v1/device/ota/ver', {
    otaVersion,
    components: [await createComponent(me)],
  })
  if (enable) {
    expect((await me.call('POST', `/api/v1/device/ota/ver/enable/${data.otaId}`)).code).toBe(200)
    await setRelease(data.otaId, { mode: 2 })
  }
  return data.otaId as number
}

/** Sets the release of an enabled version; enabling creates a release for the allowlist only. */
async function setRelease(otaId: number, { mode, state = 0 }: { mode: number; state?: number }) {
  const text = 'update ota_policies set mode = $2, state = $3 where ota_id = $1'
  expect((await server.services.database.pool.query(text, [otaId, mode, state])).rowCount).toBe(1)
}

const graph = async (me: Caller, query: string) => (await me.call('GET', `/api/v1/device/ota/graph?${query}`)).data

test('the upgrade graph counts devices by upgrade path, reports gaps and previews the effect of a draft', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const modelId = await createModel(me)
  await fleet(modelId, 1, [
    [1, 3],
    [10, 2],
    [20, 1],
    [null, 1],
  ])
  await add(me, modelId, [20, 10, 19])
  const draft = await add(me, modelId, [30, 20, 29], false)
  const now = await graph(me, `modelId=${modelId}`)
  expect(now).toMatchObject({ newest: 20, devices: 7, stranded: 4, effect: null, useless: [] })
  expect(now.gaps).toEqual([{ from: 1, to: 9, devices: 3 }])
  const nodes = (view: { nodes: Record<string, unknown>[] }) =>
    view.nodes.map(({ verCode, devices, isEnabled, path, stranded }) => [verCode, devices, isEnabled, path, stranded])
  expect(nodes(now)).toEqual([
    [null, 1, false, [], 1],
    [1, 3, false, [], 3],
    [10, 2, false, [20], 0],
    [20, 1, true, [], 0],
  ])
  for (const asked of [`otaId=${draft}`, 'verCode=30&oldVerMin=20&oldVerMax=29']) {
    const then = await graph(me, `modelId=${modelId}&${asked}`)
    expect(then).toMatchObject({ newest: 30, stranded: 4 })
    expect(then.effect).toEqual({ verCode: 30, offered: 1, freed: 0, newlyStranded: 0 })
    expect(then.nodes.find(({ verCode }: { verCode: number }) => verCode === 10)).toMatchObject({
      path: [20, 30],
      before: { path: [20], stranded: 0 },
    })
  }
  const cure = await graph(me, `modelId=${modelId}&verCode=9&oldVerMax=8`)
  expect(cure.effect).toEqual({ verCode: 9, offered: 3, freed: 0, newlyStranded: 0 })
  const whole = await graph(me, `modelId=${modelId}&verCode=15&oldVerMax=9`)
  expect(whole.effect).toEqual({ verCode: 15, offered: 3, freed: 3, newlyStranded: 0 })
  const narrow = await graph(me, `modelId=${modelId}&verCode=40&oldVerMin=10&oldVerMax=10`)
  expect(narrow.effect).toMatchObject({ offered: 2, newlyStranded: 1 })
})

test('the upgrade graph of a tenant counts its own devices and contains versions of the platform and its own', async () => {
  const vendor = await server.as(...FIRMWARE_PERMISSIONS)
  const me = await server.by({ tenant: '路径公司', permissions: FIRMWARE_PERMISSIONS })
  const other = await server.by({ tenant: '另一家', permissions: FIRMWARE_PERMISSIONS })
  const modelId = await createModel(vendor)
  await add(vendor, modelId, [10, 1, 9])
  await add(me, modelId, [20, 10, 19])
  const { rows } = await server.services.database.pool.query<{ id: number }>(
    `select id from tenants where name in ('路径公司', '另一家') order by name = '另一家'`,
  )
  await fleet(modelId, rows[0]!.id, [[5, 2]])
  await fleet(modelId, rows[1]!.id, [[5, 4]])
  expect(await graph(me, `modelId=${modelId}`)).toMatchObject({ devices: 2, stranded: 0, newest: 20 })
  expect(await graph(other, `modelId=${modelId}`)).toMatchObject({ devices: 4, stranded: 0, newest: 10 })
  const all = await graph(vendor, `modelId=${modelId}`)
  expect(all).toMatchObject({ devices: 6, stranded: 0, newest: 20 })
})

test.each([
  ['an allowlist-only release', { mode: 1, state: 0 }, 2],
  ['a release that waits for approval', { mode: 2, state: 1 }, 2],
  ['a refused release', { mode: 2, state: 2 }, 2],
  ['a stopped release', { mode: 2, state: 4 }, 2],
  ['a paused release', { mode: 2, state: 3 }, 0],
])('with %s (%j), the upgrade graph counts %i devices without an upgrade path', async (_name, release, stranded) => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const modelId = await createModel(me)
  await fleet(modelId, 1, [[1, 2]])
  await add(me, modelId, [20, 10, 19])
  await setRelease(await add(me, modelId, [10, 1, 9]), release)
  expect(await graph(me, `modelId=${modelId}`)).toMatchObject({ newest: 20, devices: 2, stranded })
})

test('each package has its own upgrade graph; an unknown model or version is refused by name', async () => {
  const me = await server.as(...SOFTWARE_PERMISSIONS, ...FIRMWARE_PERMISSIONS)
  const modelId = await createModel(me)
  await fleet(modelId, 1, [[7, 2]])
  const { pool } = server.services.database
  await pool.query(
    `insert into device_packages (device_id, package_name, ver_code)
     select id, 'com.a', 3 from devices where model_id = $1 order by id limit 1`,
    [modelId],
  )
  const ask = async (query: string) => me.call('GET', `/api/v1/device/software/graph?modelId=${modelId}&${query}`)
  const { data } = await ask('packageName=com.a&verCode=4&oldVerMin=3&oldVerMax=3')
  expect(data.nodes.map(({ verCode, devices }: Record<string, unknown>) => [verCode, devices])).toEqual([
    [null, 1],
    [3, 1],
    [4, 0],
  ])
  expect(data.effect).toMatchObject({ offered: 1 })
  expect((await ask('')).msg).toBe('请输入包名')
  const missing = await me.call('GET', '/api/v1/device/ota/graph?modelId=999999')
  expect(missing.msg).toBe('设备型号不存在或已被删除')
  expect((await me.call('GET', `/api/v1/device/ota/graph?modelId=${modelId}&otaId=999999`)).code).toBe(400)
})
