import { FULL_ROLLOUT, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  insertDevices,
  createEnabledVersion,
  buildFormalRelease,
  RELEASE_PERMISSIONS,
  buildStage,
  insertTasks,
  readTenantId,
  insertVersion,
} from './upgrade-fixture.ts'

const server = useApp()
const RELEASE = '/api/v1/upgrade/release'
const dryRun = async (who: Caller, otaId: number, policy?: object) => {
  const answer = await who.call('POST', `${RELEASE}/dryRun`, { otaId, ...(policy && { policy }) })
  expect(answer.code, answer.msg).toBe(200)
  return answer.data
}
const why = (who: Caller, otaId: number, sn: string) => who.call('GET', `${RELEASE}/why?otaId=${otaId}&sn=${sn}`)
const draft = (over: object) => {
  const { otaId: _, rev: __, ...policy } = buildFormalRelease(0, over)
  return policy
}

let me: Caller
beforeAll(async () => {
  me = await server.as(...RELEASE_PERMISSIONS)
})

test('the dry run counts devices that get the version and the obstacles of others, before and after publishing', async () => {
  const { otaId, modelId } = await createEnabledVersion(server.db)
  await insertDevices(server.db, { modelId, count: 400, prefix: 'VA' })
  const newer = await insertDevices(server.db, { modelId, count: 7, prefix: 'VB', verCode: 100 })
  const [white] = await insertDevices(server.db, { modelId, count: 1, prefix: 'VC' })
  expect(newer).toHaveLength(7)
  await me.call('PUT', '/api/v1/device/ota/white', { otaId, ids: [white] })
  const now = await dryRun(me, otaId)
  expect(now).toMatchObject({
    count: 1,
    total: 408,
    sample: [{ sn: 'VC00001', verCode: 1 }],
    models: [{ id: modelId, count: 1 }],
  })
  expect(now.obstacles).toEqual([
    { rule: 'white', title: '不在白名单中（测试发布只发给白名单）', count: 400 },
    { rule: 'newer', title: '已是该版本或更高版本', count: 7 },
  ])
  const all = await dryRun(me, otaId, draft({ stages: [buildStage(1000), buildStage(FULL_ROLLOUT)] }))
  expect(all.stages[1]).toEqual({ percent: FULL_ROLLOUT, count: 401 })
  expect(all.count).toBeGreaterThan(10)
  expect(all.count).toBeLessThan(90)
  expect(all.versions).toEqual([{ verCode: 1, count: all.count }])
  await me.call('POST', `${RELEASE}/publish`, buildFormalRelease(otaId, { percent: 1000 }))
})

test('the dry run reports devices with a failed or open task separately', async () => {
  const { otaId, modelId } = await createEnabledVersion(server.db)
  const ids = await insertDevices(server.db, { modelId, count: 10, prefix: 'VD' })
  await insertTasks(server.db, { otaId, deviceIds: ids.slice(0, 3), state: TASK_STATE_CODE.failed })
  await insertTasks(server.db, { otaId, deviceIds: ids.slice(3, 5), state: TASK_STATE_CODE.offered })
  await me.call('POST', `${RELEASE}/publish`, buildFormalRelease(otaId))
  expect(await dryRun(me, otaId)).toMatchObject({
    count: 5,
    total: 10,
    obstacles: [
      { rule: 'spent', count: 3 },
      { rule: 'busy', count: 2 },
    ],
  })
})

test('the dry run counts devices that get a higher version first as a separate group', async () => {
  const { otaId, modelId } = await createEnabledVersion(server.db)
  await insertDevices(server.db, { modelId, count: 6, prefix: 'VO' })
  await me.call('POST', `${RELEASE}/publish`, buildFormalRelease(otaId))
  const higher = await insertVersion(server.db, { modelId, verCode: 300 })
  expect(await dryRun(me, otaId)).toMatchObject({ count: 6, obstacles: [] })
  await me.call('PUT', '/api/v1/device/ota/white', { otaId: higher, sns: ['VO00001', 'VO00002'] })
  expect(await dryRun(me, otaId)).toMatchObject({
    count: 4,
    obstacles: [{ rule: 'outranked', title: '会优先收到更高的版本', count: 2 }],
  })
})

test('the dry run of a tenant counts only its own devices', async () => {
  const theirs = await server.by({ tenant: '预演客户', permissions: RELEASE_PERMISSIONS })
  const tenantId = await readTenantId(server, '预演客户')
  const { otaId, modelId } = await createEnabledVersion(server.db, { tenantId })
  await insertDevices(server.db, { modelId, count: 4, prefix: 'VE', tenantId })
  await insertDevices(server.db, { modelId, count: 5, prefix: 'VF' })
  expect(await dryRun(theirs, otaId, draft({}))).toMatchObject({
    count: 4,
    total: 4,
    tenants: [{ id: tenantId, name: '预演客户', count: 4 }],
  })
  expect(await dryRun(me, otaId, draft({}))).toMatchObject({ count: 4, total: 4 })
})

test('the check of one device returns the result of each rule and the overall result', async () => {
  const { otaId, modelId } = await createEnabledVersion(server.db)
  const [a, b] = await insertDevices(server.db, { modelId, count: 3, prefix: 'VG' })
  await me.call('PUT', '/api/v1/device/ota/white', { otaId, ids: [a, b] })
  const yes = (await why(me, otaId, 'VG00001')).data
  expect(yes).toMatchObject({ passed: true, words: '设备下次检查时会收到该版本' })
  const no = (await why(me, otaId, 'VG00003')).data
  expect(no).toMatchObject({ passed: false, words: '设备不会收到该版本' })
  expect(no.rules.filter(({ passed }: { passed: boolean }) => !passed)).toMatchObject([
    { rule: 'white', words: '设备不在白名单中' },
  ])
  const higher = await insertVersion(server.db, { modelId, verCode: 200 })
  await me.call('PUT', '/api/v1/device/ota/white', { otaId: higher, ids: [a] })
  expect((await why(me, otaId, 'VG00001')).data.words).toBe('设备满足条件，但会优先收到更高的版本「版本200」(200)')
  await insertTasks(server.db, { otaId, deviceIds: [b!], state: TASK_STATE_CODE.downloading })
  expect((await why(me, otaId, 'VG00002')).data).toMatchObject({ passed: false, words: '设备已领到该版本的任务' })
  expect(await why(me, otaId, 'VG99999')).toMatchObject({
    code: 400,
    msg: '没有这台设备，请核对序列号',
    data: { field: 'sn' },
  })
  const theirs = await server.by({ tenant: '为何客户', permissions: RELEASE_PERMISSIONS })
  expect(await why(theirs, otaId, 'VG00001')).toMatchObject({ code: 400 })
})
