import { FULL_SHARE, TASK } from '@oms/contract/ota-task.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { judgeStages } from './stage-clock.ts'
import { devicesOf, enabledVersion, formal, release, RELEASER, stage, tasksOf } from './upgrade-fixture.ts'

const server = useApp()
const MINUTE = 60_000
/** The clock of the judge, so many minutes from now. */
const judge = (minutes: number) => judgeStages(server.kernel, new Date(Date.now() + minutes * MINUTE))

let me: Caller
beforeAll(async () => {
  me = await server.as(...RELEASER)
})

interface Begun {
  readonly ok: number
  readonly bad?: number
  readonly over?: object
  /** Share of the first stage. */
  readonly first?: number
}

/** A release in its first stage, of 10 % unless said otherwise, with that many results. */
async function begun({ ok, bad = 0, over = {}, first = 1000 }: Begun) {
  const { otaId, modelId } = await enabledVersion(server.db)
  const ids = await devicesOf(server.db, { modelId, count: 60, prefix: `SC${otaId}x` })
  const stages = first === FULL_SHARE ? [stage(first, over)] : [stage(first, over), stage(FULL_SHARE, over)]
  await me.call('POST', '/api/v1/upgrade/release/publish', formal(otaId, { stages }))
  const results = async (state: number, from: number, to: number, reason = '') =>
    tasksOf(server.db, { otaId, deviceIds: ids.slice(from, to), state, reason, at: "now() + interval '1 minute'" })
  await results(TASK.succeeded, 0, ok)
  await results(TASK.failed, ok, ok + bad, '校验失败')
  return { otaId, ids, results }
}

test('a stage passes when enough results came, enough time went by and enough of them succeeded', async () => {
  const { otaId, results } = await begun({ ok: 19 })
  await judge(40)
  expect((await release(me, otaId)).stages[0]).toMatchObject({ state: 1, succeeded: 19, failed: 0 })
  await results(TASK.succeeded, 20, 21)
  await judge(29)
  expect((await release(me, otaId)).stages[0].state).toBe(1)
  await judge(31)
  const after = await release(me, otaId)
  expect(after).toMatchObject({ percent: FULL_SHARE, state: 0 })
  expect(after.stages).toMatchObject([
    { state: 2, succeeded: 20, failed: 0, judgeTime: expect.any(String) },
    { state: 1, succeeded: 0, failed: 0 },
  ])
})

test('too many failures pause it by itself, without waiting for the time: reason, alarm and notice', async () => {
  const { otaId } = await begun({ ok: 18, bad: 2 })
  await judge(1)
  const after = await release(me, otaId)
  const reason = '第 1 阶段（10%）失败率 10.0% 达到门槛 5%（20 个结果中失败 2 个），已自动暂停'
  expect(after).toMatchObject({ state: 3, stateReason: reason, percent: 1000 })
  expect(after.stages).toMatchObject([{ state: 3, succeeded: 18, failed: 2 }, { state: 0 }])
  expect(after.alarms).toMatchObject([{ kind: 2, message: reason }])
  const { rows } = await server.db.execute<{ title: string }>(
    sql`select title from notices where ${me.uid} = any(target_ids) and summary like ${`%${reason}%`}`,
  )
  expect(rows).toEqual([{ title: '发布已自动暂停：版本100' }])
})

test('judged once: another process at the same time finds nothing, and later looks change nothing', async () => {
  const { otaId } = await begun({ ok: 10, bad: 10 })
  const both = await Promise.all([judge(1), judge(1), judge(1)])
  expect(both.reduce((sum, { judged }) => sum + judged, 0)).toBe(1)
  await judge(500)
  const after = await release(me, otaId)
  expect(after.alarms).toHaveLength(1)
  expect(after.stages[0]).toMatchObject({ state: 3, succeeded: 10, failed: 10 })
})

test('continued after a failure the stage is observed anew: old failures do not stop it again', async () => {
  const { otaId } = await begun({ ok: 10, bad: 10, over: { minMinutes: 0 } })
  await judge(1)
  await server.db.execute(sql`update ota_tasks set close_time = now() - interval '1 minute' where ota_id = ${otaId}`)
  expect(await me.call('POST', '/api/v1/upgrade/release/resume', { otaId })).toMatchObject({ code: 200 })
  await judge(600)
  expect(await release(me, otaId)).toMatchObject({
    state: 0,
    stages: [{ state: 1, succeeded: 0, failed: 0 }, { state: 0 }],
  })
})

test('a failure told to try again does not count until it failed again; pushed ones never count', async () => {
  const { otaId } = await begun({ ok: 19, bad: 5 })
  await server.db.execute(sql`update ota_tasks set retried = true where ota_id = ${otaId} and state = 110 and task_id in
    (select task_id from ota_tasks where ota_id = ${otaId} and state = 110 order by task_id limit 4)`)
  await server.db.execute(
    sql`update ota_tasks set pushed = true where ota_id = ${otaId} and state = 110 and not retried`,
  )
  await judge(40)
  expect((await release(me, otaId)).stages[0]).toMatchObject({ state: 1, succeeded: 19, failed: 0 })
})

test('between the thresholds it waits for more results', async () => {
  const { otaId } = await begun({ ok: 28, bad: 2, over: { errorPercent: 20 } })
  await judge(100)
  expect((await release(me, otaId)).stages[0]).toMatchObject({ state: 1, succeeded: 28, failed: 2 })
})

test('one device that found a wrong digest pauses it at once', async () => {
  const { otaId } = await begun({ ok: 1 })
  await server.db.execute(sql`insert into ota_alarms (tenant_id, ota_id, kind, message, create_time)
    values (1, ${otaId}, 3, '校验值不一致', now() + interval '1 minute')`)
  await judge(2)
  expect(await release(me, otaId)).toMatchObject({
    state: 3,
    stateReason: '第 1 阶段（10%）有设备报告下载内容的校验值不一致，已自动暂停',
  })
})

test('a paused release is not judged, and the last stage stays at its share', async () => {
  const { otaId, results } = await begun({ ok: 20, over: { minMinutes: 0 } })
  await me.call('POST', '/api/v1/upgrade/release/pause', { otaId })
  await judge(60)
  expect((await release(me, otaId)).stages[0].state).toBe(1)
  await me.call('POST', '/api/v1/upgrade/release/resume', { otaId })
  await judge(60)
  await results(TASK.succeeded, 20, 45)
  await server.db.execute(sql`update ota_stages set start_time = now() where ota_id = ${otaId} and state = 1`)
  await judge(120)
  expect(await release(me, otaId)).toMatchObject({
    state: 0,
    percent: FULL_SHARE,
    stages: [{ state: 2 }, { state: 2 }],
  })
})

/** The other devices run it already: there is nobody left to wait for. */
const nobodyElse = (otaId: number) =>
  server.db.execute(sql`update devices d set ver_code = 100 from ota_versions v
    where v.ota_id = ${otaId} and d.model_id = v.model_id`)

test('a stage of few devices is judged when all of them have answered, by what they said', async () => {
  const { otaId } = await begun({ ok: 3, first: 5000 })
  await judge(31)
  expect((await release(me, otaId)).stages[0].state).toBe(1)
  await nobodyElse(otaId)
  await judge(29)
  expect((await release(me, otaId)).stages[0].state).toBe(1)
  await judge(33)
  expect(await release(me, otaId)).toMatchObject({
    percent: FULL_SHARE,
    stages: [{ state: 2, succeeded: 3, failed: 0 }, { state: 1 }],
  })
})

test('one failure among few that answered is as much as it is: the release pauses', async () => {
  const { otaId } = await begun({ ok: 2, bad: 1 })
  await nobodyElse(otaId)
  await judge(31)
  expect(await release(me, otaId)).toMatchObject({
    state: 3,
    stateReason: '第 1 阶段（10%）失败率 33.3% 达到门槛 5%（3 个结果中失败 1 个），已自动暂停',
  })
})

test('a stage without a single device does not stand in the way; one still upgrading does', async () => {
  const { otaId, ids } = await begun({ ok: 0 })
  await nobodyElse(otaId)
  await tasksOf(server.db, { otaId, deviceIds: ids.slice(0, 1), state: TASK.installing })
  await judge(31)
  expect((await release(me, otaId)).stages[0].state).toBe(1)
  await server.db.execute(sql`update ota_tasks set state = 120, close_time = now() where ota_id = ${otaId}`)
  await judge(33)
  expect((await release(me, otaId)).stages).toMatchObject([{ state: 2, succeeded: 0, failed: 0 }, { state: 1 }])
})

test('at the end of its time what came decides; without a result, or a good enough one, a person does', async () => {
  const [good, silent, middling] = [
    await begun({ ok: 3, first: 5000 }),
    await begun({ ok: 0, first: 5000 }),
    await begun({ ok: 28, bad: 2, first: 5000, over: { errorPercent: 20 } }),
  ]
  await judge(1439)
  for (const { otaId } of [good, silent, middling]) expect((await release(me, otaId)).stages[0].state).toBe(1)
  await judge(1442)
  expect((await release(me, good.otaId)).stages).toMatchObject([{ state: 2, succeeded: 3 }, { state: 1 }])
  const paused = await release(me, silent.otaId)
  expect(paused).toMatchObject({
    state: 3,
    stateReason: '第 1 阶段（50%）等待 1440 分钟没有设备报告结果，无法评判，已自动暂停',
  })
  expect(paused.alarms).toHaveLength(1)
  expect((await release(me, middling.otaId)).stateReason).toBe(
    '第 1 阶段（50%）等待 1440 分钟后成功率 93.3% 未达到门槛 95%（30 个结果），已自动暂停',
  )
})

test('the last stage is never paused for want of results', async () => {
  const { otaId } = await begun({ ok: 0, first: FULL_SHARE })
  await judge(5000)
  expect(await release(me, otaId)).toMatchObject({ state: 0, stages: [{ state: 1 }] })
})

test('the longest time is not shorter than the shortest', async () => {
  const { otaId } = await enabledVersion(server.db)
  const stages = [stage(1000, { minMinutes: 60, maxMinutes: 59 }), stage(FULL_SHARE)]
  expect(await me.call('POST', '/api/v1/upgrade/release/publish', formal(otaId, { stages }))).toMatchObject({
    code: 400,
    msg: '最长等待时间不能短于最短观察时间',
  })
})
