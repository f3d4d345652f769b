import type pg from 'pg'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { readSessionWindows } from '#modules/agent/devices/device.ts'
import { MIN_LAST_POLL_UPDATE_SECONDS } from '#modules/device/wire/presence.ts'

/** Maximum delay until polls are stored. */
const GRACE_SECONDS = MIN_LAST_POLL_UPDATE_SECONDS + 60
const DEFAULT_POLL_SECONDS = 300
/** Number of tasks that one statement closes. */
const BATCH = 5000
/** Maximum numbers of online devices that one statement reads and marks offline. */
const READ_BATCH = 50_000
const OFFLINE_BATCH = 2000

/** Registers the scheduled job that closes tasks of silent devices and marks devices offline that no longer poll. */
export function registerDeviceSideJobs(services: Services) {
  const work: Worker = (_job, _progress, signal) => closeSilentDevices(services, signal)
  services.jobs.schedule('device-silence', work, { title: '设备静默处理', cron: '20 * * * * *' })
}

/** A failure to close tasks does not prevent marking devices offline. */
export async function closeSilentDevices(services: Services, signal?: AbortSignal) {
  const closing = closeAllSilent(services, signal)
  await closing.catch(() => {})
  const offline = await markOffline(services, signal)
  return { closed: await closing, offline }
}

async function closeAllSilent(services: Services, signal?: AbortSignal) {
  let closed = 0
  for (;;) {
    signal?.throwIfAborted()
    const count = await closeSilent(services)
    closed += count
    if (count < BATCH) break
  }
  return closed
}

/** Fails tasks that are silent for longer than their release permits. Tasks in cancellation become cancelled. */
async function closeSilent({ database, events }: Services) {
  const { rows } = await database.pool.query<{ tenantId: number }>(
    `with silent as (select t.task_id from ota_tasks t left join ota_policies p on p.ota_id = t.ota_id
       where t.close_time is null and t.update_time < now() - interval '1 minute'
         and t.update_time < now() - make_interval(mins => coalesce(p.timeout_minutes, 1440))
       order by t.task_id limit ${BATCH} for update of t skip locked),
     closed as (update ota_tasks t set close_time = now(), update_time = now(),
         state = case when t.state = ${TASK_STATE_CODE.cancelling} then ${TASK_STATE_CODE.cancelled} else ${TASK_STATE_CODE.failed} end,
         reason = case when t.state = ${TASK_STATE_CODE.cancelling} then '设备未响应取消，已强制结束' else '设备超时未响应' end
       from silent s where s.task_id = t.task_id returning t.task_id, t.tenant_id, t.state, t.reason),
     noted as (insert into ota_task_logs (task_id, state, details) select task_id, state, array[reason] from closed)
     select tenant_id as "tenantId" from closed`,
  )
  for (const tenantId of new Set(rows.map((row) => row.tenantId)))
    await events.publish(database.db, 'changed', { resource: 'upgrade', tenantId })
  return rows.length
}

/**
 * Marks devices offline after two poll intervals without a poll. A voice device polls only at boot and stays online
 * during a conversation. Commits in steps, so that one transaction does not have to mark a whole fleet.
 */
async function markOffline({ database, agentParameters }: Services, signal?: AbortSignal) {
  const { standard, others } = await readSessionWindows({ agentParameters })
  const [tenantIds, seconds] = [others.map(([id]) => id), others.map((each) => each[1])]
  let offline = 0
  for (let last: number | null = 0; last !== null; ) {
    signal?.throwIfAborted()
    const { rows }: pg.QueryResult<{ last: number | null; count: number }> = await database.pool.query(
      MARK_OFFLINE_SQL,
      [GRACE_SECONDS, DEFAULT_POLL_SECONDS, standard, tenantIds, seconds, last],
    )
    last = rows[0]!.last
    offline += rows[0]!.count
  }
  return offline
}

// Locks rows in the order of ids, as writing polls does. Skips locked rows, because a device that is being written is
// not silent.
const MARK_OFFLINE_SQL = `
  with step as materialized (select id from devices
     where online = 1 and deleted_at is null and id > $6 order by id limit ${READ_BATCH}),
   silent as materialized (select d.id from devices d where d.online = 1 and d.deleted_at is null
     and d.id > $6 and d.id <= (select max(id) from step)
     and d.last_online_time < now() - make_interval(secs => $1 + 2 * coalesce(
       (select a.poll_seconds from device_access a where a.tenant_id = d.tenant_id), $2))
     and not exists (select from agent_devices a where a.device_id = d.id and a.tenant_id = d.tenant_id
       and greatest(a.session_time, a.turn_time) > now() - make_interval(secs => coalesce(
         (select w.seconds from unnest($4::int[], $5::int[]) w (tenant_id, seconds) where w.tenant_id = a.tenant_id), $3))
       and greatest(a.session_time, a.turn_time) > coalesce(a.close_time, '-infinity'))
     order by d.id limit ${OFFLINE_BATCH} for no key update skip locked),
   marked as (update devices d set online = 0 from silent s where d.id = s.id)
  select count(*)::int as count,
    case when count(*) = ${OFFLINE_BATCH} then max(id) else (select max(id) from step) end as last from silent`
