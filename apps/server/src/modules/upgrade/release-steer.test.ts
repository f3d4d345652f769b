import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  insertDevices,
  createEnabledVersion,
  buildFormalRelease,
  readRelease,
  RELEASE_PERMISSIONS,
  buildStage,
  insertTasks,
} from './upgrade-fixture.ts'

const server = useApp()
const RELEASE = '/api/v1/upgrade/release'
const publish = (who: Caller, body: object) => who.call('POST', `${RELEASE}/publish`, body)
const order = (who: Caller, what: string, body: object) => who.call('POST', `${RELEASE}/${what}`, body)

let me: Caller
beforeAll(async () => {
  me = await server.as(...RELEASE_PERMISSIONS)
})

describe('pausing, resuming and stopping a release', () => {
  test('stopping a release cancels its open tasks; tasks that no device has fetched end immediately', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    const [a, b, c, d] = await insertDevices(server.db, { modelId, count: 4, prefix: 'RS' })
    await publish(me, buildFormalRelease(otaId))
    expect(await order(me, 'pause', { otaId, reason: '等待确认' })).toMatchObject({ code: 200, msg: '发布已暂停' })
    expect(await readRelease(me, otaId)).toMatchObject({ state: 3, stateReason: '等待确认' })
    expect(await order(me, 'pause', { otaId })).toMatchObject({ code: 501, msg: '发布已暂停，不能暂停' })
    expect(await order(me, 'resume', { otaId })).toMatchObject({ code: 200 })
    await insertTasks(server.db, { otaId, deviceIds: [a!], state: TASK_STATE_CODE.offered })
    await insertTasks(server.db, { otaId, deviceIds: [b!], state: TASK_STATE_CODE.confirming })
    await insertTasks(server.db, { otaId, deviceIds: [c!], state: TASK_STATE_CODE.downloading })
    await insertTasks(server.db, { otaId, deviceIds: [d!], state: TASK_STATE_CODE.succeeded })
    const stopped = await order(me, 'stop', { otaId, reason: '发现缺陷' })
    expect(stopped).toMatchObject({
      msg: '发布已终止，取消 2 个任务，另有 1 个等待设备响应',
      data: { state: 4, cancelled: 2, cancelling: 1 },
    })
    const { counts, state, stateReason } = await readRelease(me, otaId)
    expect({ counts, state, stateReason }).toEqual({
      counts: [
        { state: TASK_STATE_CODE.cancelling, count: 1 },
        { state: TASK_STATE_CODE.succeeded, count: 1 },
        { state: TASK_STATE_CODE.cancelled, count: 2 },
      ],
      state: 4,
      stateReason: '发现缺陷',
    })
    expect((await publish(me, buildFormalRelease(otaId, { rev: (await readRelease(me, otaId)).rev }))).msg).toMatch(
      '停用后重新启用可以重新开始',
    )
  })

  test('disabling a version cancels open tasks and counts the installed devices; enabling starts a new release', async () => {
    const boss = await server.by({ superAdmin: true })
    const { otaId, modelId } = await createEnabledVersion(server.db)
    const ids = await insertDevices(server.db, { modelId, count: 5, prefix: 'RD' })
    await insertDevices(server.db, { modelId, count: 3, prefix: 'RE', verCode: 100 })
    await publish(boss, buildFormalRelease(otaId, { stages: [buildStage(5000)] }))
    await insertTasks(server.db, { otaId, deviceIds: ids.slice(0, 2), state: TASK_STATE_CODE.offered })
    await insertTasks(server.db, { otaId, deviceIds: ids.slice(2, 3), state: TASK_STATE_CODE.installing })
    const done = await boss.call('POST', `/api/v1/device/ota/ver/disable/${otaId}`)
    expect(done).toMatchObject({
      code: 200,
      msg: '停用成功，已取消 3 个升级任务，其中 1 个等待设备响应，3 台设备已安装该版本，不受影响',
    })
    const after = await readRelease(boss, otaId)
    expect(after).toMatchObject({ status: 2, state: 4, stateReason: '版本已停用', installed: 3 })
    expect(await order(boss, 'resume', { otaId })).toMatchObject({ code: 501, msg: '该版本未启用，请先启用' })
  })

  test('an alarm can be closed once, by an account that can see the alarm', async () => {
    const { otaId } = await createEnabledVersion(server.db)
    const { rows } = await server.db.execute<{ id: number }>(
      sql`insert into ota_alarms (tenant_id, ota_id, kind, message) values (1, ${otaId}, 2, '失败率过高') returning id`,
    )
    const id = rows[0]?.id
    expect((await readRelease(me, otaId)).alarms).toMatchObject([{ id, message: '失败率过高' }])
    const theirs = await server.by({ tenant: '告警客户', permissions: RELEASE_PERMISSIONS })
    expect(await theirs.call('POST', `${RELEASE}/alarm/close/${id}`)).toMatchObject({ code: 400 })
    expect(await me.call('POST', `${RELEASE}/alarm/close/${id}`)).toMatchObject({ code: 200, msg: '告警已处理' })
    expect(await me.call('POST', `${RELEASE}/alarm/close/${id}`)).toMatchObject({
      code: 400,
      msg: '告警不存在或已被删除',
    })
    expect((await readRelease(me, otaId)).alarms).toEqual([])
  })
})
