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

/** A release in its first stage of 10 %, with that many results. */
async function begun({ ok, bad = 0, over = {} }: { ok: number; bad?: number; over?: object }) {
  const { otaId, modelId } = await enabledVersion(server.db)
  const ids = await devicesOf(server.db, { modelId, count: 60, prefix: `SC${otaId}x` })
  const stages = [stage(1000, over), stage(FULL_SHARE, over)]
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
