import { FULL_ROLLOUT, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { createTicketBy, handleTicket, LEAD_PERMISSIONS } from '#modules/ticket/ticket-fixture.ts'
import { evaluateStages } from '#modules/upgrade/stages.ts'
import {
  buildFormalRelease,
  buildStage,
  createEnabledVersion,
  insertDevices,
  insertTasks,
  RELEASE_PERMISSIONS,
} from '#modules/upgrade/upgrade-fixture.ts'
import { type LockedTask, recordTaskStep } from '#modules/upgrade/wire/tasks.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()
beforeEach(() => app.db.execute(sql`delete from outbox_events`))

const events = async () =>
  (await app.db.execute<{ type: string; data: object }>(sql`select type, data from outbox_events order by id`)).rows

test('a ticket publishes its creation and each change of its status, without its texts', async () => {
  const by = await app.as(...LEAD_PERMISSIONS)
  const id = await createTicketBy(by, { content: '机密内容' })
  for (const status of [1, 2, 5, 1]) await handleTicket(by, id, { status, remark: '机密备注' })
  const found = await events()
  expect(found.map(({ type }) => type)).toEqual([
    'ticket.created',
    'ticket.status_changed',
    'ticket.status_changed',
    'ticket.closed',
    'ticket.reopened',
  ])
  expect(found[3]!.data).toMatchObject({ id, status: 5, fromStatus: 2 })
  expect(JSON.stringify(found)).not.toContain('机密')
})

test('a release publishes its start, a pause by a person, and the failed stage that pauses it', async () => {
  const by = await app.as(...RELEASE_PERMISSIONS)
  const { otaId, modelId } = await createEnabledVersion(app.db)
  const ids = await insertDevices(app.db, { modelId, count: 40, prefix: 'OUT' })
  const stages = [buildStage(1000), buildStage(FULL_ROLLOUT)]
  await by.call('POST', '/api/v1/upgrade/release/publish', buildFormalRelease(otaId, { stages }))
  await by.call('POST', '/api/v1/upgrade/release/pause', { otaId, reason: '机密原因' })
  await by.call('POST', '/api/v1/upgrade/release/resume', { otaId })
  const state = TASK_STATE_CODE.failed
  await insertTasks(app.db, { otaId, deviceIds: ids, state, reason: '校验失败', at: "now() + interval '1 minute'" })
  await evaluateStages(app.services, new Date(Date.now() + 40 * 60_000))
  const found = await events()
  expect(found.map(({ type }) => type)).toEqual(['release.published', 'release.paused', 'release.alarm'])
  expect(found[2]!.data).toMatchObject({ otaId, seq: 1, failed: 40 })
  expect(JSON.stringify(found)).not.toContain('机密')
})

test('a task that fails on its device publishes the device once', async () => {
  const { otaId, modelId } = await createEnabledVersion(app.db)
  const [deviceId] = await insertDevices(app.db, { modelId, count: 1, prefix: 'FAIL' })
  const open = { otaId, deviceIds: [deviceId!], state: TASK_STATE_CODE.downloading, reason: '', at: 'now()' }
  await insertTasks(app.db, open)
  const { pool } = app.services.database
  const { rows } = await pool.query<LockedTask>(
    `select task_id as "taskId", device_id as "deviceId", tenant_id as "tenantId", ota_id as "otaId",
       package_name as "packageName", ver_code as "verCode", state, progress from ota_tasks where device_id = $1`,
    [deviceId],
  )
  const step = { state: TASK_STATE_CODE.failed, reason: '空间不足', code: 'E7' } as never
  await recordTaskStep(pool as never, rows[0]!, {}, step)
  await recordTaskStep(pool as never, { ...rows[0]!, state: TASK_STATE_CODE.failed }, {}, step)
  expect(await events()).toEqual([
    {
      type: 'task.failed',
      data: expect.objectContaining({ otaId, deviceId, code: 'E7', sn: expect.stringMatching(/^FAIL/) }),
    },
  ])
})
