import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { sql } from 'drizzle-orm'
import { type MemoryOwner, saveMemory } from '#domain/agents/history/memory.ts'
import { SESSION_TASK, SESSION_TASK_QUEUE } from '#domain/agents/history/session-work.ts'
import { parseMacDigits } from '#domain/agents/devices/mac.ts'
import { CallRefused, RESPONSE_CODE } from '../envelope.ts'
import { readObjectBody, type ServerCall, readSessionId } from '../voice-servers/server-call.ts'

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
    if (!session) throw new CallRefused(RESPONSE_CODE.agentMissing, '会话不存在')
    const { id, tenantId, deviceId } = session
    // Locks the task before the session, as the jobs of titles and erasures do.
    const added = await db.execute<{ id: string }>(
      sql`insert into agent_after as f (tenant_id, session_row_id, kind) values (${tenantId}, ${id}, ${kind})
        on conflict (session_row_id, kind) do update set state = 0, tries = 0, error = '' where f.state >= 2 returning f.id`,
    )
    await db.execute(sql`update agent_sessions set end_time = now() where id = ${id}`)
    await db.execute(sql`update agent_devices set close_time = now(), session_id = ''
      where device_id = ${deviceId} and session_id = ${sessionId}`)
    const work = added.rows[0]
    if (work) await jobs.sendMessage(db, SESSION_TASK_QUEUE, { id: Number(work.id) })
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

const FIND = `select d.tenant_id as "tenantId", d.device_id as "deviceId", d.agent_id as "agentId", a.memory_scope as "memoryScope"
  from agent_devices d join agents a on a.id = d.agent_id and a.deleted_at is null
  where d.mac = $1 and ($2 = 1 or d.tenant_id = $2)`

/**
 * `PUT agent/saveMemory/{mac}`: stores the memory that voice servers before 0.8.11 summarise. Stores nothing for a
 * tenant that keeps no words.
 */
export async function handleSaveMemory({ request, side, serverTenant }: ServerCall, mac: string): Promise<null> {
  const { summaryMemory } = await readObjectBody(request)
  const { database, agentParameters } = side.services
  const { rows } = await database.pool.query<MemoryOwner & { readonly tenantId: number }>(FIND, [
    parseMacDigits(mac) ?? '',
    serverTenant,
  ])
  const [found] = rows
  if (!found) throw new CallRefused(RESPONSE_CODE.deviceUnknown, '设备未绑定')
  // A truncated body must not erase the memory.
  if (typeof summaryMemory !== 'string') throw new CallRefused(RESPONSE_CODE.blank, 'summaryMemory is needed')
  if ((await agentParameters.of(found.tenantId)).text('history.mode') === '1') return null
  const memory = summaryMemory.toWellFormed().replaceAll('\0', '').slice(0, MAX_MEMORY)
  await saveMemory(database.db, found, memory)
  return null
}
