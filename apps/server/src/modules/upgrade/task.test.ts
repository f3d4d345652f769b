import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  insertDevices,
  createEnabledVersion,
  readRelease,
  RELEASE_PERMISSIONS,
  insertTasks,
  readTenantId,
  insertVersion,
} from './upgrade-fixture.ts'

const server = useApp()
const TASKS = '/api/v1/upgrade/task'
const get = async (who: Caller, path: string, query: object) => {
  const search = new URLSearchParams(query as Record<string, string>)
  const answer = await who.call('GET', `${TASKS}${path}?${search}`)
  expect(answer.code, answer.msg).toBe(200)
  return answer.data
}

let me: Caller
beforeAll(async () => {
  me = await server.as(...RELEASE_PERMISSIONS)
})

/** Creates a version with 6 succeeded, 5 failed (two reasons: 3 and 2), 1 downloading and 2 offered tasks. */
async function mixed(prefix: string) {
  const made = await createEnabledVersion(server.db)
  const ids = await insertDevices(server.db, { modelId: made.modelId, count: 14, prefix })
  const { otaId } = made
  await insertTasks(server.db, { otaId, deviceIds: ids.slice(0, 6), state: TASK_STATE_CODE.succeeded })
  await insertTasks(server.db, { otaId, deviceIds: ids.slice(6, 9), state: TASK_STATE_CODE.failed, reason: '空间不足' })
  await insertTasks(server.db, {
    otaId,
    deviceIds: ids.slice(9, 11),
    state: TASK_STATE_CODE.failed,
    reason: '签名不正确',
  })
  await insertTasks(server.db, { otaId, deviceIds: ids.slice(11, 12), state: TASK_STATE_CODE.downloading })
  await insertTasks(server.db, { otaId, deviceIds: ids.slice(12), state: TASK_STATE_CODE.offered })
  return { ...made, ids }
}

describe('tasks of a version', () => {
  test('tasks are listed newest first with device, tenant and versions, and can be filtered, sorted and paged', async () => {
    const { otaId } = await mixed('TA')
    const all = await get(me, '', { otaId, pageSize: 50 })
    expect(all.total).toBe(14)
    expect(all.list[0]).toMatchObject({
      sn: 'TA00014',
      fromVerCode: 1,
      verCode: 100,
      state: 0,
      tenantName: expect.any(String),
      closeTime: null,
    })
    expect((await get(me, '', { otaId, state: 110 })).total).toBe(5)
    expect((await get(me, '', { otaId, reason: '空间不足' })).total).toBe(3)
    expect((await get(me, '', { otaId, sn: 'A00003' })).list).toMatchObject([{ sn: 'TA00003', progress: 100 }])
    const second = await get(me, '', { otaId, pageSize: 5, pageNum: 2, orderByColumn: 'taskId', isAsc: 'asc' })
    expect(second.list.map(({ sn }: { sn: string }) => sn)).toEqual([
      'TA00006',
      'TA00007',
      'TA00008',
      'TA00009',
      'TA00010',
    ])
  })

  test('failed tasks are grouped by failure text with counts', async () => {
    const { otaId } = await mixed('TB')
    expect(await get(me, '/failures', { otaId })).toEqual({
      total: 2,
      list: [
        {
          reason: '空间不足',
          code: null,
          count: 3,
          open: 3,
          lastTime: expect.stringMatching(/^\d{4}-/),
          sn: 'TB00009',
        },
        { reason: '签名不正确', code: null, count: 2, open: 2, lastTime: expect.any(String), sn: 'TB00011' },
      ],
    })
  })

  test('the task counts equal the listed tasks after every kind of write', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    const ids = await insertDevices(server.db, { modelId, count: 40, prefix: 'TC' })
    const states = [0, 5, 10, 20, 30, 40, 50, 100, 110, 120]
    let next = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...states), { maxLength: 4 }), async (written) => {
        for (const state of written) {
          const deviceId = ids[next++ % ids.length]!
          // Simulates a process that dies before it updates anything but rows.
          await server.db.execute(sql`delete from ota_tasks where device_id = ${deviceId} and close_time is null`)
          await insertTasks(server.db, { otaId, deviceIds: [deviceId], state })
        }
        const { counts } = await readRelease(me, otaId)
        for (const { state, count } of counts) expect((await get(me, '', { otaId, state })).total).toBe(count)
        const sum = counts.reduce((total: number, { count }: { count: number }) => total + count, 0)
        expect(sum).toBe((await get(me, '', { otaId })).total)
        expect(await get(me, '/counts', { otaId })).toEqual(counts)
      }),
      { numRuns: 12 },
    )
  })

  test('a retry covers all failed tasks, chosen tasks or the tasks of one reason, and retries each task once', async () => {
    const { otaId } = await mixed('TD')
    const retry = (body: object) => me.call('POST', `${TASKS}/retry`, { otaId, ...body })
    const [first] = (await get(me, '', { otaId, reason: '空间不足' })).list
    expect(await retry({ taskIds: [first.taskId] })).toMatchObject({
      msg: '已安排 1 台设备重试，设备下次检查时生效',
      data: { count: 1 },
    })
    expect((await retry({ reason: '空间不足' })).data).toEqual({ count: 2 })
    expect((await retry({})).data).toEqual({ count: 2 })
    expect(await retry({})).toMatchObject({ code: 501, msg: '没有可以重试的失败任务' })
    expect((await get(me, '/failures', { otaId })).list).toMatchObject([{ open: 0 }, { open: 0 }])
    expect((await get(me, '', { otaId, state: 100 })).list.every(({ retried }: { retried: boolean }) => !retried)).toBe(
      true,
    )
  })

  test('cancelling ends an unfetched task immediately; a started task waits for the response of its device', async () => {
    const { otaId } = await mixed('TE')
    const { list } = await get(me, '', { otaId, pageSize: 3 })
    const taskIds = list.map(({ taskId }: { taskId: number }) => taskId)
    const done = await me.call('POST', `${TASKS}/cancel`, { otaId, taskIds, reason: '换批次' })
    expect(done).toMatchObject({ msg: '已取消 2 个任务，1 个等待设备响应', data: { cancelled: 2, cancelling: 1 } })
    expect(await me.call('POST', `${TASKS}/cancel`, { otaId, taskIds })).toMatchObject({
      code: 501,
      msg: '所选任务已结束或正在取消',
    })
    const { task, logs } = await get(me, `/${taskIds[0]}`, {})
    expect(task).toMatchObject({
      state: TASK_STATE_CODE.cancelled,
      reason: '人工取消：换批次',
      closeTime: expect.any(String),
    })
    expect(logs).toMatchObject([{ state: TASK_STATE_CODE.cancelled, execution: '', details: ['人工取消：换批次'] }])
  })

  test('the export contains the filtered tasks with texts in place of codes', async () => {
    const { otaId } = await mixed('TF')
    const reply = await me.inject({ method: 'GET', url: `${TASKS}/export?otaId=${otaId}&state=110&format=csv` })
    const lines = reply.body.trim().split(/\r?\n/)
    expect(lines).toHaveLength(6)
    expect(lines[0]).toContain('序列号')
    expect(lines[1]).toContain('升级失败')
  })
})

describe('pushing a version to one device', () => {
  const push = (who: Caller, body: object) => who.call('POST', `${TASKS}/push`, body)

  test('an enabled version can be pushed; a downgrade requires a confirmation; a device has one open task at a time', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db, { verCode: 50 })
    await insertDevices(server.db, { modelId, count: 1, prefix: 'TG', verCode: 60 })
    expect(await push(me, { otaId, sn: 'TG00001' })).toMatchObject({
      code: 501,
      msg: '设备当前版本 60 高于目标版本 50，降级有风险，请确认后再推送',
    })
    const done = await push(me, { otaId, sn: 'TG00001', risky: 1 })
    expect(done).toMatchObject({ code: 200, msg: '推送成功，设备下次检查时收到' })
    const { task, logs } = await get(me, `/${done.data.taskId}`, {})
    expect(task).toMatchObject({ pushed: true, state: 0, fromVerCode: 60, verCode: 50, attempt: 1 })
    expect(logs[0].details[0]).toMatch('由 60 降级，已确认风险')
    expect(await push(me, { otaId, sn: 'TG00001', risky: 1 })).toMatchObject({
      code: 501,
      msg: '设备正在升级到版本 50（待获取），请等待完成或先取消',
    })
    const other = await createEnabledVersion(server.db)
    expect(await push(me, { otaId: other.otaId, sn: 'TG00001' })).toMatchObject({
      code: 400,
      msg: '没有这台设备，或它不是该版本的型号',
    })
  })

  test.each(['status = 0', `expire_time = now() - interval '1 minute'`])(
    'a version cannot be pushed to a device of a disabled or expired tenant (%s)',
    async (standing) => {
      await server.by({ tenant: '停用客户', permissions: [] })
      const tenantId = await readTenantId(server, '停用客户')
      const { otaId, modelId } = await createEnabledVersion(server.db)
      const prefix = standing.startsWith('status') ? 'TX' : 'TY'
      const [id] = await insertDevices(server.db, { modelId, count: 1, prefix, tenantId })
      await server.db.execute(sql.raw(`update tenants set status = 1, expire_time = null where id = ${tenantId}`))
      await server.db.execute(sql.raw(`update tenants set ${standing} where id = ${tenantId}`))
      expect(await push(me, { otaId, sn: `${prefix}00001` })).toMatchObject({
        code: 400,
        msg: '设备所属客户已停用或已过期，设备不会收到升级',
        data: { field: 'sn' },
      })
      const { rows } = await server.db.execute(sql`select 1 from ota_tasks where device_id = ${id}`)
      expect(rows).toEqual([])
    },
  )

  test('two simultaneous pushes to a device create one task', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId, count: 1, prefix: 'TH' })
    const answers = await Promise.all(Array.from({ length: 4 }, () => push(me, { otaId, sn: 'TH00001' })))
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 501, 501, 501])
  })
})

test('the tasks of a device are listed; a tenant sees tasks of its devices, also of versions of the platform', async () => {
  const theirs = await server.by({
    tenant: '任务客户',
    permissions: [...RELEASE_PERMISSIONS, 'device:apkManage:query'],
  })
  const tenantId = await readTenantId(server, '任务客户')
  const { otaId, modelId } = await createEnabledVersion(server.db)
  const [mine] = await insertDevices(server.db, { modelId, count: 1, prefix: 'TI', tenantId })
  const [foreign] = await insertDevices(server.db, { modelId, count: 1, prefix: 'TJ' })
  await insertTasks(server.db, { otaId, deviceIds: [mine!, foreign!], state: TASK_STATE_CODE.succeeded })
  const second = await insertVersion(server.db, { modelId, verCode: 101 })
  await insertTasks(server.db, { otaId: second, deviceIds: [mine!], state: TASK_STATE_CODE.offered })
  const pageReader = await server.as('device:apkManage:query')
  const of = (who: Caller, deviceId: number) => who.call('GET', `/api/v1/device/ota/task/device?deviceId=${deviceId}`)
  expect((await of(pageReader, mine!)).data.list).toMatchObject([{ verCode: 101 }, { verCode: 100, state: 100 }])
  expect((await of(theirs, mine!)).data.total).toBe(2)
  expect(await of(theirs, foreign!)).toMatchObject({ code: 400, msg: '设备不存在或已被删除' })
  const answer = await theirs.call('GET', `${TASKS}?otaId=${otaId}`)
  expect(answer).toMatchObject({ code: 400, msg: '版本不存在或已被删除' })
})
