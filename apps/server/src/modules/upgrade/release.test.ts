import { FULL_ROLLOUT } from '@oms/contract/upgrade/task-state.ts'
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
  readTenantId,
} from './upgrade-fixture.ts'

const server = useApp()
const RELEASE = '/api/v1/upgrade/release'
const publish = (who: Caller, body: object) => who.call('POST', `${RELEASE}/publish`, body)
const order = (who: Caller, what: string, body: object) => who.call('POST', `${RELEASE}/${what}`, body)

let me: Caller
let other: Caller
beforeAll(async () => {
  me = await server.as(...RELEASE_PERMISSIONS)
  other = await server.as(...RELEASE_PERMISSIONS)
})

describe('publishing', () => {
  test('enabling a version creates a test release; publishing makes it formal and stores its plan in the history', async () => {
    const { otaId } = await createEnabledVersion(server.db)
    expect(await readRelease(me, otaId)).toMatchObject({
      mode: 1,
      state: 0,
      percent: FULL_ROLLOUT,
      stages: [],
      needsAudit: false,
    })
    const plan = buildFormalRelease(otaId, {
      startTime: '2020-01-01 00:00:00',
      dailyStart: 60,
      dailyEnd: 300,
      perMinute: 50,
      bandwidth: 8,
      autoRetries: 2,
    })
    expect(await publish(me, plan)).toMatchObject({ code: 200, msg: '发布成功', data: { state: 0, rev: 1 } })
    const saved = await readRelease(me, otaId)
    expect(saved).toMatchObject({
      mode: 2,
      state: 0,
      dailyStart: 60,
      dailyEnd: 300,
      perMinute: 50,
      bandwidth: 8,
      autoRetries: 2,
      rev: 1,
    })
    expect(saved.submitByName).toMatch(/^测试/)
    expect(await publish(me, plan)).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })
    const { rows } = await server.db.execute<{ action: string }>(
      sql`select action from oper_logs where biz_type = 'ota' and biz_id = ${String(otaId)}`,
    )
    expect(rows.map(({ action }) => action)).toContain('正式发布固件版本「版本100」(100)')
  })

  test('a plan with contradictory values is refused at its field', async () => {
    const { otaId } = await createEnabledVersion(server.db)
    const refusals: [object, string, string][] = [
      [{ startTime: '2030-01-02 00:00:00', endTime: '2030-01-01 00:00:00' }, 'endTime', '结束时间应晚于开始时间'],
      [{ dailyStart: 60 }, 'dailyEnd', '每日时间段的开始和结束须同时填写'],
      [{ dailyStart: 60, dailyEnd: 60 }, 'dailyEnd', '每日时间段的开始和结束不能相同'],
      [{ stages: [buildStage(1000), buildStage(1000)] }, 'stages.1.percent', '设备比例应大于上一阶段'],
      [{ percent: 0 }, 'percent', '设备比例不能小于1'],
      [{ bandwidth: 0 }, 'bandwidth', '下载带宽上限不能小于1'],
      [{ bandwidth: 10_001 }, 'bandwidth', '下载带宽上限不能大于10000'],
      [{ bandwidth: 1.5 }, 'bandwidth', '下载带宽上限应为整数'],
      [{ tenantIds: [999_999] }, 'tenantIds', '客户不存在、已停用或已过期，请重新选择'],
      [{ groupIds: [999_999] }, 'groupIds', '设备分组不存在或已删除，请重新选择'],
    ]
    for (const [over, field, msg] of refusals)
      expect(await publish(me, buildFormalRelease(otaId, over))).toMatchObject({ code: 400, msg, data: { field } })
  })

  test('a disabled tenant is refused as a target', async () => {
    const { otaId } = await createEnabledVersion(server.db)
    await server.by({ tenant: '停用的目标', permissions: [] })
    const { rows } = await server.db.execute<{ id: number }>(
      sql`update tenants set status = 0 where name = '停用的目标' returning id`,
    )
    expect(await publish(me, buildFormalRelease(otaId, { tenantIds: [rows[0]?.id] }))).toMatchObject({
      code: 400,
      msg: '客户不存在、已停用或已过期，请重新选择',
      data: { field: 'tenantIds' },
    })
  })

  test('the first stage starts immediately with its percentage, and republishing keeps the reached percentage', async () => {
    const { otaId } = await createEnabledVersion(server.db)
    await publish(
      me,
      buildFormalRelease(otaId, { stages: [buildStage(100), buildStage(1000), buildStage(FULL_ROLLOUT)] }),
    )
    const first = await readRelease(me, otaId)
    expect(first).toMatchObject({ percent: 100, stages: [{ state: 1 }, { state: 0 }, { state: 0 }] })
    expect(await order(me, 'skip', { otaId, seq: 2 })).toMatchObject({
      code: 501,
      msg: '该阶段已不在进行中，请刷新后重试',
    })
    expect(await order(me, 'skip', { otaId, seq: 1 })).toMatchObject({ code: 200, msg: '已进入 10% 阶段' })
    const second = await readRelease(me, otaId)
    expect(second).toMatchObject({ percent: 1000, stages: [{ state: 4 }, { state: 1 }, { state: 0 }] })
    await publish(
      me,
      buildFormalRelease(otaId, {
        rev: second.rev,
        stages: [buildStage(500), buildStage(2000), buildStage(FULL_ROLLOUT)],
      }),
    )
    const again = await readRelease(me, otaId)
    expect(again).toMatchObject({ percent: 2000, stages: [{ state: 4 }, { state: 1 }, { state: 0 }] })
    await order(me, 'skip', { otaId, seq: 2 })
    expect(await order(me, 'skip', { otaId, seq: 3 })).toMatchObject({ code: 501, msg: '已是最后一个阶段' })
  })

  test('raising the percentage keeps all included devices, and is refused while a stage is active', async () => {
    const { otaId } = await createEnabledVersion(server.db)
    expect(await order(me, 'share', { otaId, percent: 10 })).toMatchObject({
      code: 501,
      msg: '测试发布没有比例，请先正式发布',
    })
    await publish(me, buildFormalRelease(otaId, { percent: 1000 }))
    expect(await order(me, 'share', { otaId, percent: 2500 })).toMatchObject({
      msg: '比例已由 10% 提高到 25%，已在范围内的设备不变',
    })
    expect(await order(me, 'share', { otaId, percent: 500 })).toMatchObject({
      msg: '比例已降到 5%，已领取任务的设备不受影响',
    })
    const { rev } = await readRelease(me, otaId)
    await publish(me, buildFormalRelease(otaId, { rev, stages: [buildStage(1000)] }))
    expect((await order(me, 'share', { otaId, percent: 600 })).msg).toMatch('发布正按阶段进行')
  })

  test('a tenant can release its own version only to itself', async () => {
    const theirs = await server.by({ tenant: '发布客户', permissions: RELEASE_PERMISSIONS })
    const tenantId = await readTenantId(server, '发布客户')
    const { otaId } = await createEnabledVersion(server.db, { tenantId })
    expect(await publish(theirs, buildFormalRelease(otaId, { tenantIds: [1] }))).toMatchObject({
      code: 400,
      msg: '该版本只能发布给其所属客户',
    })
    expect(await publish(theirs, buildFormalRelease(otaId, { tenantIds: [tenantId] }))).toMatchObject({ code: 200 })
    const { otaId: ours } = await createEnabledVersion(server.db)
    expect(await publish(theirs, buildFormalRelease(ours))).toMatchObject({ code: 400, msg: '版本不存在或已被删除' })
    expect(await theirs.call('GET', `${RELEASE}/${ours}`)).toMatchObject({ code: 400 })
  })
})

describe('approval by a second person', () => {
  const large = async (createBy = 0) => {
    const made = await createEnabledVersion(server.db, { createBy })
    await insertDevices(server.db, { modelId: made.modelId, count: 101, prefix: `RP${made.otaId}x` })
    return made
  }

  test("a release to more than 100 devices waits for another person's approval before its stages start", async () => {
    const { otaId } = await large()
    expect((await readRelease(me, otaId)).needsAudit).toBe(true)
    const plan = buildFormalRelease(otaId, { stages: [buildStage(100), buildStage(FULL_ROLLOUT)] })
    expect(await publish(me, plan)).toMatchObject({
      msg: '已提交，等待另一人审批；审批前仅白名单设备可升级',
      data: { state: 1 },
    })
    expect(await readRelease(me, otaId)).toMatchObject({
      state: 1,
      auditBlock: '不能审批自己提交的发布，请由另一人审批',
      stages: [{ state: 0 }, { state: 0 }],
    })
    const word = { otaId, rev: 1, pass: 1, remark: '' }
    expect(await order(me, 'audit', word)).toMatchObject({ code: 501, msg: '不能审批自己提交的发布，请由另一人审批' })
    expect(await order(other, 'audit', { ...word, rev: 0 })).toMatchObject({ code: 400 })
    expect(await order(other, 'audit', word)).toMatchObject({ code: 200, msg: '审批通过，发布已开始' })
    expect(await readRelease(me, otaId)).toMatchObject({
      state: 0,
      percent: 100,
      auditByName: expect.stringMatching(/^测试/),
      stages: [{ state: 1 }, { state: 0 }],
    })
    const { rows } = await server.db.execute<{ title: string; ids: number[] }>(
      sql`select title, target_ids as ids from notices where title like '%版本100' order by notice_id desc limit 2`,
    )
    expect(rows[0]).toEqual({ title: '发布审批通过：版本100', ids: [me.uid] })
    expect(rows[1]).toMatchObject({ title: '待审批的发布：版本100' })
    expect(rows[1]?.ids).toContain(other.uid)
    expect(rows[1]?.ids).not.toContain(me.uid)
  })

  test('raising the percentage of an approved release waits for approval; the approved percentage applies until then', async () => {
    const { otaId } = await large()
    await publish(me, buildFormalRelease(otaId, { percent: 1000 }))
    await order(other, 'audit', { otaId, rev: 1, pass: 1, remark: '' })
    expect(await order(me, 'share', { otaId, percent: 5000 })).toMatchObject({
      msg: '已提交，等待另一人审批；审批前按已批准的方式继续发布',
      data: { state: 0 },
    })
    const waiting = await readRelease(me, otaId)
    expect(waiting).toMatchObject({
      state: 0,
      percent: 1000,
      pending: { percent: 5000, lines: ['设备比例：10% → 50%'] },
      auditBlock: '不能审批自己提交的发布，请由另一人审批',
    })
    const refusal = { otaId, rev: waiting.rev, pass: 0, remark: '再观察' }
    expect(await order(other, 'audit', refusal)).toMatchObject({ msg: '已驳回，发布按原来批准的方式继续' })
    const refused = await readRelease(me, otaId)
    expect(refused).toMatchObject({ state: 0, stateReason: '', percent: 1000, pending: null, auditRemark: '再观察' })
    await order(me, 'share', { otaId, percent: 6000 })
    const { rev } = await readRelease(me, otaId)
    expect(await order(other, 'audit', { otaId, rev, pass: 1, remark: '' })).toMatchObject({ data: { state: 0 } })
    expect(await readRelease(me, otaId)).toMatchObject({ state: 0, percent: 6000, pending: null })
  })

  test('an edited plan of an approved release waits for approval, also while the release is paused', async () => {
    const { otaId } = await large()
    await publish(me, buildFormalRelease(otaId, { percent: 1000 }))
    await order(other, 'audit', { otaId, rev: 1, pass: 1, remark: '' })
    await order(me, 'pause', { otaId, reason: '观察' })
    const { rev } = await readRelease(me, otaId)
    const plan = buildFormalRelease(otaId, { rev, perMinute: 7, stages: [buildStage(2000), buildStage(FULL_ROLLOUT)] })
    expect(await publish(me, plan)).toMatchObject({ data: { state: 3 } })
    expect(await readRelease(me, otaId)).toMatchObject({ state: 3, percent: 1000, perMinute: null, stages: [] })
    expect(await order(other, 'audit', { otaId, rev: rev + 1, pass: 1, remark: '' })).toMatchObject({ code: 200 })
    expect(await readRelease(me, otaId)).toMatchObject({
      state: 3,
      stateReason: '观察',
      percent: 2000,
      perMinute: 7,
      stages: [{ state: 1 }, { state: 0 }],
    })
  })

  test('a rejection requires a reason, and the release stays a test release', async () => {
    const { otaId } = await large()
    await publish(me, buildFormalRelease(otaId))
    expect(await order(other, 'audit', { otaId, rev: 1, pass: 0 })).toMatchObject({
      code: 400,
      msg: '请输入驳回的原因',
    })
    expect(await order(other, 'audit', { otaId, rev: 1, pass: 0, remark: '未做回归' })).toMatchObject({ code: 200 })
    expect(await readRelease(me, otaId)).toMatchObject({ state: 2, stateReason: '未做回归', auditRemark: '未做回归' })
    expect(await publish(me, buildFormalRelease(otaId, { rev: 2 }))).toMatchObject({ data: { state: 1 } })
  })

  test('neither the creator of the version nor the uploader of its files can approve the release', async () => {
    const { otaId } = await large(other.uid)
    await publish(me, buildFormalRelease(otaId))
    const word = { otaId, rev: 1, pass: 1 }
    expect(await order(other, 'audit', word)).toMatchObject({ code: 501, msg: '您是该版本的创建人，请由另一人审批' })
    const third = await server.as(...RELEASE_PERMISSIONS)
    await server.db.execute(sql`insert into files (id, tenant_id, uid, purpose, name, mime, size, md5, sha1, sha256)
      values (${'f'.repeat(24) + String(otaId).padStart(8, '0')}, 1, ${third.uid}, 'component', 'a.bin', 'x', 1, '', '', '')`)
    await server.db.execute(sql`insert into ota_components (ota_id, name, file_id, file_name, url, size, md5, sha1, sha256)
      values (${otaId}, 'a', ${'f'.repeat(24) + String(otaId).padStart(8, '0')}, 'a.bin', '', 1, '', '', '')`)
    expect(await order(third, 'audit', word)).toMatchObject({ code: 501, msg: '该版本的组件由您上传，请由另一人审批' })
    const nobody = await server.as('upgrade:ota:query')
    expect(await order(nobody, 'audit', word)).toMatchObject({ code: 501, msg: '您没有权限！' })
  })
})
