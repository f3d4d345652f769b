import { FULL_ROLLOUT, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { evaluateStages } from './stages.ts'
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
const MINUTE = 60_000
/** Runs the stage evaluation with a clock set this many minutes ahead. */
const evaluate = (minutes: number) => evaluateStages(server.services, new Date(Date.now() + minutes * MINUTE))

let me: Caller
beforeAll(async () => {
  me = await server.as(...RELEASE_PERMISSIONS)
})

interface Begun {
  readonly ok: number
  readonly bad?: number
  readonly over?: object
  /** Percentage of the first stage, in hundredths of a percent. */
  readonly first?: number
}

/** Creates a release in its first stage (10 % by default) with this many successful and failed results. */
async function begun({ ok, bad = 0, over = {}, first = 1000 }: Begun) {
  const { otaId, modelId } = await createEnabledVersion(server.db)
  const ids = await insertDevices(server.db, { modelId, count: 60, prefix: `SC${otaId}x` })
  const stages =
    first === FULL_ROLLOUT ? [buildStage(first, over)] : [buildStage(first, over), buildStage(FULL_ROLLOUT, over)]
  await me.call('POST', '/api/v1/upgrade/release/publish', buildFormalRelease(otaId, { stages }))
  const results = async (state: number, from: number, to: number, reason = '') =>
    insertTasks(server.db, { otaId, deviceIds: ids.slice(from, to), state, reason, at: "now() + interval '1 minute'" })
  await results(TASK_STATE_CODE.succeeded, 0, ok)
  await results(TASK_STATE_CODE.failed, ok, ok + bad, '校验失败')
  return { otaId, ids, results }
}

test('a stage is completed after the required results, time and success rate', async () => {
  const { otaId, results } = await begun({ ok: 19 })
  await evaluate(40)
  expect((await readRelease(me, otaId)).stages[0]).toMatchObject({ state: 1, succeeded: 19, failed: 0 })
  await results(TASK_STATE_CODE.succeeded, 20, 21)
  await evaluate(29)
  expect((await readRelease(me, otaId)).stages[0].state).toBe(1)
  await evaluate(31)
  const after = await readRelease(me, otaId)
  expect(after).toMatchObject({ percent: FULL_ROLLOUT, state: 0 })
  expect(after.stages).toMatchObject([
    { state: 2, succeeded: 20, failed: 0, judgeTime: expect.any(String) },
    { state: 1, succeeded: 0, failed: 0 },
  ])
})

test('a failure rate above the limit pauses the release at once with a reason, an alarm and a notice', async () => {
  const { otaId } = await begun({ ok: 18, bad: 2 })
  await evaluate(1)
  const after = await readRelease(me, otaId)
  const reason = '第 1 阶段（10%）失败率 10% 达到门槛 5%（20 个结果中失败 2 个），已自动暂停'
  expect(after).toMatchObject({ state: 3, stateReason: reason, percent: 1000 })
  expect(after.stages).toMatchObject([{ state: 3, succeeded: 18, failed: 2 }, { state: 0 }])
  expect(after.alarms).toMatchObject([{ kind: 2, message: reason }])
  const { rows } = await server.db.execute<{ title: string }>(
    sql`select title from notices where ${me.uid} = any(target_ids) and summary like ${`%${reason}%`}`,
  )
  expect(rows).toEqual([{ title: '发布已自动暂停：版本100' }])
})

test('a stage is evaluated once: parallel and later runs change nothing', async () => {
  const { otaId } = await begun({ ok: 10, bad: 10 })
  const both = await Promise.all([evaluate(1), evaluate(1), evaluate(1)])
  expect(both.reduce((sum, { evaluated }) => sum + evaluated, 0)).toBe(1)
  await evaluate(500)
  const after = await readRelease(me, otaId)
  expect(after.alarms).toHaveLength(1)
  expect(after.stages[0]).toMatchObject({ state: 3, succeeded: 10, failed: 10 })
})

test('a stage that is resumed after a failure ignores the earlier failures', async () => {
  const { otaId } = await begun({ ok: 10, bad: 10, over: { minMinutes: 0 } })
  await evaluate(1)
  await server.db.execute(sql`update ota_tasks set close_time = now() - interval '1 minute' where ota_id = ${otaId}`)
  expect(await me.call('POST', '/api/v1/upgrade/release/resume', { otaId })).toMatchObject({ code: 200 })
  await evaluate(600)
  expect(await readRelease(me, otaId)).toMatchObject({
    state: 0,
    stages: [{ state: 1, succeeded: 0, failed: 0 }, { state: 0 }],
  })
})

test('a retried failure does not count until it fails again, and pushed tasks never count', async () => {
  const { otaId } = await begun({ ok: 19, bad: 5 })
  await server.db.execute(sql`update ota_tasks set retried = true where ota_id = ${otaId} and state = 110 and task_id in
    (select task_id from ota_tasks where ota_id = ${otaId} and state = 110 order by task_id limit 4)`)
  await server.db.execute(
    sql`update ota_tasks set pushed = true where ota_id = ${otaId} and state = 110 and not retried`,
  )
  await evaluate(40)
  expect((await readRelease(me, otaId)).stages[0]).toMatchObject({ state: 1, succeeded: 19, failed: 0 })
})

test('a stage whose success rate is between both thresholds waits for more results', async () => {
  const { otaId } = await begun({ ok: 28, bad: 2, over: { errorPercent: 20 } })
  await evaluate(100)
  expect((await readRelease(me, otaId)).stages[0]).toMatchObject({ state: 1, succeeded: 28, failed: 2 })
})

test('a single digest mismatch pauses the release immediately', async () => {
  const { otaId } = await begun({ ok: 1 })
  await server.db.execute(sql`insert into ota_alarms (tenant_id, ota_id, kind, message, create_time)
    values (1, ${otaId}, 3, '校验值不一致', now() + interval '1 minute')`)
  await evaluate(2)
  expect(await readRelease(me, otaId)).toMatchObject({
    state: 3,
    stateReason: '第 1 阶段（10%）有设备报告下载内容的校验值不一致，已自动暂停',
  })
})

test('a paused release is not evaluated, and the last stage keeps its percentage', async () => {
  const { otaId, results } = await begun({ ok: 20, over: { minMinutes: 0 } })
  await me.call('POST', '/api/v1/upgrade/release/pause', { otaId })
  await evaluate(60)
  expect((await readRelease(me, otaId)).stages[0].state).toBe(1)
  await me.call('POST', '/api/v1/upgrade/release/resume', { otaId })
  await evaluate(60)
  await results(TASK_STATE_CODE.succeeded, 20, 45)
  await server.db.execute(sql`update ota_stages set start_time = now() where ota_id = ${otaId} and state = 1`)
  await evaluate(120)
  expect(await readRelease(me, otaId)).toMatchObject({
    state: 0,
    percent: FULL_ROLLOUT,
    stages: [{ state: 2 }, { state: 2 }],
  })
})

/** Updates all other devices to this version, so that no further results are expected. */
const nobodyElse = (otaId: number) =>
  server.db.execute(sql`update devices d set ver_code = 100 from ota_versions v
    where v.ota_id = ${otaId} and d.model_id = v.model_id`)

test('a stage with few devices is evaluated when all its devices have reported', async () => {
  const { otaId } = await begun({ ok: 3, first: 5000 })
  await evaluate(31)
  expect((await readRelease(me, otaId)).stages[0].state).toBe(1)
  await nobodyElse(otaId)
  await evaluate(29)
  expect((await readRelease(me, otaId)).stages[0].state).toBe(1)
  await evaluate(33)
  expect(await readRelease(me, otaId)).toMatchObject({
    percent: FULL_ROLLOUT,
    stages: [{ state: 2, succeeded: 3, failed: 0 }, { state: 1 }],
  })
})

test('one failure among a few results pauses the release when the failure rate exceeds the limit', async () => {
  const { otaId } = await begun({ ok: 2, bad: 1 })
  await nobodyElse(otaId)
  await evaluate(31)
  expect(await readRelease(me, otaId)).toMatchObject({
    state: 3,
    stateReason: '第 1 阶段（10%）失败率 33.33% 达到门槛 5%（3 个结果中失败 1 个），已自动暂停',
  })
})

test('a stage without devices is completed, and a stage with a device that is upgrading waits', async () => {
  const { otaId, ids } = await begun({ ok: 0 })
  await nobodyElse(otaId)
  await insertTasks(server.db, { otaId, deviceIds: ids.slice(0, 1), state: TASK_STATE_CODE.installing })
  await evaluate(31)
  expect((await readRelease(me, otaId)).stages[0].state).toBe(1)
  await server.db.execute(sql`update ota_tasks set state = 120, close_time = now() where ota_id = ${otaId}`)
  await evaluate(33)
  expect((await readRelease(me, otaId)).stages).toMatchObject([{ state: 2, succeeded: 0, failed: 0 }, { state: 1 }])
})

test('after the maximum time a stage is completed when its results suffice; otherwise the release is paused', async () => {
  const [good, silent, middling] = [
    await begun({ ok: 3, first: 5000 }),
    await begun({ ok: 0, first: 5000 }),
    await begun({ ok: 28, bad: 2, first: 5000, over: { errorPercent: 20 } }),
  ]
  await evaluate(1439)
  for (const { otaId } of [good, silent, middling]) expect((await readRelease(me, otaId)).stages[0].state).toBe(1)
  await evaluate(1442)
  expect((await readRelease(me, good.otaId)).stages).toMatchObject([{ state: 2, succeeded: 3 }, { state: 1 }])
  const paused = await readRelease(me, silent.otaId)
  expect(paused).toMatchObject({
    state: 3,
    stateReason: '第 1 阶段（50%）等待 1440 分钟没有设备报告结果，无法评判，已自动暂停',
  })
  expect(paused.alarms).toHaveLength(1)
  expect((await readRelease(me, middling.otaId)).stateReason).toBe(
    '第 1 阶段（50%）等待 1440 分钟后成功率 93.33% 未达到门槛 95%（30 个结果），已自动暂停',
  )
})

test('the last stage is never paused because of missing results', async () => {
  const { otaId } = await begun({ ok: 0, first: FULL_ROLLOUT })
  await evaluate(5000)
  expect(await readRelease(me, otaId)).toMatchObject({ state: 0, stages: [{ state: 1 }] })
})

test('a maximum time of a stage below its minimum time is refused', async () => {
  const { otaId } = await createEnabledVersion(server.db)
  const stages = [buildStage(1000, { minMinutes: 60, maxMinutes: 59 }), buildStage(FULL_ROLLOUT)]
  expect(await me.call('POST', '/api/v1/upgrade/release/publish', buildFormalRelease(otaId, { stages }))).toMatchObject(
    {
      code: 400,
      msg: '最长等待时间不能短于最短观察时间',
    },
  )
})

test('an error in the evaluation of one release does not stop the run for the other releases', async () => {
  const broken = await begun({ ok: 18, bad: 2 })
  const other = await begun({ ok: 18, bad: 2 })
  await server.db.execute(
    sql.raw(`create function fail_release() returns trigger language plpgsql as
      'begin raise exception using message = ''broken release''; end'`),
  )
  await server.db.execute(
    sql.raw(`create trigger fail_release before update on ota_stages for each row
      when (new.ota_id = ${broken.otaId}) execute function fail_release()`),
  )
  expect(await evaluate(1)).toMatchObject({ failedItems: 1 })
  expect((await readRelease(me, other.otaId)).state).toBe(3)
  expect((await readRelease(me, broken.otaId)).state).toBe(0)
  await server.db.execute(sql`drop trigger fail_release on ota_stages`)
  expect(await evaluate(1)).toMatchObject({ failedItems: 0 })
  expect((await readRelease(me, broken.otaId)).state).toBe(3)
})

test('a success no longer counts for a stage after the device reports an older version', async () => {
  const { otaId, ids } = await begun({ ok: 20, over: { minMinutes: 0 } })
  await server.db.execute(sql`update devices set ver_code = 1 where id = ${ids[0]}`)
  await server.db.execute(sql`update devices set ver_code = null where id = ${ids[1]}`)
  await evaluate(40)
  expect((await readRelease(me, otaId)).stages[0]).toMatchObject({ state: 1, succeeded: 18, failed: 0 })
})
