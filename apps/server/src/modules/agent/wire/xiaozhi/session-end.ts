import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { type MemoryOwner, saveServerMemory } from '../../history/memory.ts'
import { SESSION_TASK, SESSION_TASK_QUEUE } from '../../history/session-work.ts'
import {
  parseMacDigits,
  CallRefusedError,
  RESPONSE_CODE,
  readObjectBody,
  readSessionId,
  type ServerCall,
} from './call.ts'

const MAX_MEMORY = 2000

/** `POST agent/chat-title/{sessionId}/generate`: records the end of the session. A job writes its title. */
export const handleChatTitle = (call: ServerCall, sessionId: string) => endSession(call, sessionId, SESSION_TASK.title)

/** `POST agent/chat-summary/{sessionId}/save`: a job writes the summary to the memory. */
export const handleChatSummary = (call: ServerCall, sessionId: string) =>
  endSession(call, sessionId, SESSION_TASK.summary)

async function endSession({ side, serverTenant, now }: ServerCall, given: string, kind: number): Promise<null> {
  const { database, jobs } = side.services
  const sessionId = readSessionId(given)
  // Waits for reports of the session that this process has not written yet.
  await side.services.voiceServers.turns.written()
  const device = await database.db.transaction(async (db) => {
    const { rows } = await db.execute<{ id: string; tenantId: number; deviceId: number; mac: string | null }>(
      sql`select id, tenant_id as "tenantId", device_id as "deviceId",
          (select mac from agent_devices d where d.device_id = agent_sessions.device_id) as mac
        from agent_sessions where session_id = ${sessionId}
          and (${serverTenant}::int = 1 or tenant_id = ${serverTenant}::int) order by id desc limit 1`,
    )
    const [session] = rows
    if (!session) throw new CallRefusedError(RESPONSE_CODE.agentMissing, '会话不存在')
    const { id, tenantId, deviceId } = session
    // Locks the task before the session, as the jobs of titles and erasures do.
    await queueTask(db, jobs, { id, tenantId }, kind)
    await db.execute(sql`update agent_sessions set end_time = now() where id = ${id}`)
    await db.execute(sql`update agent_devices set close_time = now(), session_id = ''
      where device_id = ${deviceId} and session_id = ${sessionId}`)
    return session
  })
  // A title is requested at the end of each session, a summary only of some sessions. Only the title therefore adds the
  // event.
  if (kind === SESSION_TASK.title && device.mac !== null)
    side.services.voiceServers.events.add(
      { mac: device.mac, tenantId: device.tenantId, kind: AGENT_EVENT_KIND.ended },
      now,
    )
  return null
}

/** Queues a task of a session, unless the task waits or runs already. */
async function queueTask(
  db: Db,
  jobs: Services['jobs'],
  { id, tenantId }: { readonly id: string; readonly tenantId: number },
  kind: number,
) {
  const { rows } = await db.execute<{ id: string }>(
    sql`insert into agent_after as f (tenant_id, session_row_id, kind) values (${tenantId}, ${id}, ${kind})
      on conflict (session_row_id, kind) do update set state = 0, tries = 0, error = '' where f.state >= 2 returning f.id`,
  )
  const [task] = rows
  if (task) await jobs.sendMessage(db, SESSION_TASK_QUEUE, { id: Number(task.id) })
}

/** A session without turns in this time is over, so a saved memory belongs to another session. */
const TALK_MINUTES = 5

/** An event is stored up to two seconds after its configuration. */
const CONFIGURATION_TIME = "e.create_time - interval '2 seconds'"
const CONFIGURED = `select ${CONFIGURATION_TIME} from agent_events e where e.mac = d.mac and e.kind = ${AGENT_EVENT_KIND.configured}`

/**
 * Finds a device, the session of a saved memory, and the time at which that session received the memory. The report names
 * no session. Sessions of a device overlap when the device connects again before the server has closed the earlier
 * connection. The server saves the memory of the earlier connection first, so the report belongs to the first session
 * without a reported end. The time is that of the last configuration before the first turn of the session; later
 * configurations are those of camera questions or of the next connection. Without a session, the report came before its
 * first turn, and the time is that of the first configuration after the end of the last session.
 */
const FIND = `select d.tenant_id as "tenantId", d.device_id as "deviceId", d.agent_id as "agentId", a.memory_scope as "memoryScope",
    s.id as "sessionRowId", (case when s.id is not null
      then coalesce((${CONFIGURED} and ${CONFIGURATION_TIME} <= s.first_time order by e.id desc limit 1), s.first_time)
      else coalesce((${CONFIGURED} and ${CONFIGURATION_TIME} > greatest(now() - interval '${TALK_MINUTES} minutes',
          (select max(x.end_time) from agent_sessions x where x.device_id = d.device_id
            and x.last_time > now() - interval '1 day'))
        order by e.id limit 1), d.session_time) end)::text as since
  from agent_devices d join agents a on a.id = d.agent_id and a.deleted_at is null
    left join lateral (select id, first_time from agent_sessions x
      where x.tenant_id = d.tenant_id and x.device_id = d.device_id and x.end_time is null
        and (x.last_time > now() - interval '${TALK_MINUTES} minutes' or x.session_id = d.session_id)
      order by x.first_time, x.id limit 1) s on true
  where d.mac = $1 and ($2 = 1 or d.tenant_id = $2)`

interface FoundDevice extends MemoryOwner {
  readonly tenantId: number
  readonly sessionRowId: string | null
  readonly since: string | null
}

/**
 * `PUT agent/saveMemory/{mac}`: stores the memory that voice servers before 0.8.11 summarise. Such a server overwrites the
 * memory that it got at the start of the session, so a change by a person since then is kept. OMS then merges the words
 * of the session into the changed memory itself, unless the person erased the memory. Stores nothing for a tenant that
 * keeps no words.
 */
export async function handleSaveMemory({ request, side, serverTenant, now }: ServerCall, given: string): Promise<null> {
  const { summaryMemory } = await readObjectBody(request)
  const { database, agentParameters, jobs, voiceServers } = side.services
  const mac = parseMacDigits(given) ?? ''
  await voiceServers.turns.written()
  const { rows } = await database.pool.query<FoundDevice>(FIND, [mac, serverTenant])
  const [found] = rows
  if (!found) throw new CallRefusedError(RESPONSE_CODE.deviceUnknown, '设备未绑定')
  // A truncated body must not erase the memory.
  if (typeof summaryMemory !== 'string') throw new CallRefusedError(RESPONSE_CODE.blank, 'summaryMemory is needed')
  const { tenantId, sessionRowId, since } = found
  if ((await agentParameters.of(tenantId)).text('history.mode') === '1') return null
  const memory = summaryMemory.toWellFormed().replaceAll('\0', '').slice(0, MAX_MEMORY)
  await database.db.transaction(async (db) => {
    const kept = await saveServerMemory(db, found, { memory, since })
    if (sessionRowId === null) return
    if (kept) await queueTask(db, jobs, { id: sessionRowId, tenantId }, SESSION_TASK.summary)
    // The next saved memory then belongs to the next session.
    await db.execute(sql`update agent_sessions set end_time = now() where id = ${sessionRowId}`)
  })
  // Without this event, the configuration of the next connection would be dropped as a repeated event.
  voiceServers.events.add({ mac, tenantId, kind: AGENT_EVENT_KIND.ended }, now)
  return null
}
