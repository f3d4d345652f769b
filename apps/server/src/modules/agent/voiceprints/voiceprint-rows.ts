import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_OFFERED_TURNS, type voiceprints as calls } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { and, asc, desc, eq, ne, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendFile } from '#core/storage/send.ts'
import { scoped, transact } from '#core/tenancy/tenancy.ts'
import { visibleAgents } from '../agents/visible-agents.ts'
import { agents } from '../schema/agent.ts'
import { agentTurns, agentVoiceprints } from '../schema/agent-history.ts'
import { devices } from '#modules/device/schema.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'

export const USER_TURN = 1
/** Response header for personal data, which must not stay in the browser cache of a shared computer. */
const NOT_KEPT = { 'cache-control': 'no-store' }

export const visibleVoiceprints = (user: User) =>
  scoped(user, { tenant: agentVoiceprints.tenantId, creator: agentVoiceprints.createBy })

const hits = sql<number>`(select count(*)::int from agent_turns t where t.agent_id = ${agentVoiceprints.agentId}
  and t.speaker = ${agentVoiceprints.name} and t.speaker <> '' and t.report_time > now() - interval '30 days')`

const select = (db: Db) =>
  db
    .select({
      id: agentVoiceprints.id,
      name: agentVoiceprints.name,
      introduction: agentVoiceprints.introduction,
      agentId: agentVoiceprints.agentId,
      agentName: sql<string>`coalesce(${agents.agentName}, '')`.as('agent_name'),
      tenantId: agentVoiceprints.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      hits: hits.as('hits'),
      audioId: agentVoiceprints.audioId,
      createTime: agentVoiceprints.createTime,
      updateTime: agentVoiceprints.updateTime,
      rev: agentVoiceprints.rev,
    })
    .from(agentVoiceprints)
    .leftJoin(agents, eq(agents.id, agentVoiceprints.agentId))
    .leftJoin(tenants, eq(tenants.id, agentVoiceprints.tenantId))
    .$dynamic()

export function listVoiceprints({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const query = select(db).where(
    and(
      visibleVoiceprints(user),
      contains(agentVoiceprints.name, input.name),
      input.agentId === undefined ? undefined : eq(agentVoiceprints.agentId, input.agentId),
      input.tenantId === undefined ? undefined : eq(agentVoiceprints.tenantId, input.tenantId),
      ...within(agentVoiceprints.createTime, input.beginTime, input.endTime),
    ),
  )
  return paginate(db, query, input, buildSort(input, { createTime: agentVoiceprints.createTime }, agentVoiceprints.id))
}

export async function getVoiceprint({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await select(db).where(and(eq(agentVoiceprints.id, id), visibleVoiceprints(user)))
  if (!found) throw notFound('声纹')
  return found
}

export function listAgentOptions({ db, user }: Ctx, { keyword, ...page }: ParsedOf<typeof calls.agents>) {
  const query = db
    .select({
      id: agents.id,
      name: agents.agentName,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
    })
    .from(agents)
    .leftJoin(tenants, eq(tenants.id, agents.tenantId))
    .where(and(visibleAgents(user), contains(agents.agentName, keyword)))
    .$dynamic()
  return paginate(db, query, page, [asc(byName(agents.agentName)), asc(agents.id)])
}

/** Returns an agent that the caller may see. */
export async function requireVisibleAgent(db: Db, user: User, agentId: number) {
  const [found] = await db
    .select({ id: agents.id, name: agents.agentName, tenantId: agents.tenantId })
    .from(agents)
    .where(and(eq(agents.id, agentId), visibleAgents(user)))
  if (!found) throw notFound('智能体')
  return found
}

/** Returns the latest user turns with audio. Opens its own transaction, because the call is logged. */
export function listTurns(ctx: Ctx, { agentId }: ParsedOf<typeof calls.turns>) {
  return transact(ctx, async (db) => {
    const agent = await requireVisibleAgent(db, ctx.user, agentId)
    const list = await db
      .select({
        audioId: agentTurns.audioId,
        content: agentTurns.content,
        speaker: agentTurns.speaker,
        deviceName: sql<string>`coalesce(nullif(${devices.devName}, ''), ${devices.sn}, '')`,
        seconds: agentTurns.seconds,
        reportTime: agentTurns.reportTime,
      })
      .from(agentTurns)
      .leftJoin(devices, eq(devices.id, agentTurns.deviceId))
      .where(and(eq(agentTurns.agentId, agentId), eq(agentTurns.kind, USER_TURN), ne(agentTurns.audioId, '')))
      .orderBy(desc(agentTurns.reportTime))
      .limit(MAX_OFFERED_TURNS)
    ctx.audit({ bizType: 'agent', bizId: agentId, action: `查看智能体「${agent.name}」的用户语音` })
    return { list }
  })
}

/** Sends the audio of a user turn or of an enrolled speaker that the caller may see. */
export async function sendAudio(ctx: Ctx, { audioId }: ParsedOf<typeof calls.audio>): Promise<StreamResponse> {
  const found = await transact(ctx, async (db) => {
    const source = await audioSourceOf(db, ctx.user, audioId)
    const [file] = source ? await db.select().from(files).where(eq(files.id, audioId)) : []
    return source && file && { source, file }
  })
  if (!found) throw notFound('语音')
  ctx.audit({ bizType: 'agent', bizId: found.source.agentId, action: found.source.action })
  return (request, reply) => sendFile(request, reply, ctx.services.files, found.file, NOT_KEPT)
}

/** Returns the agent of a recording within the scope of the caller, and the text for the log. */
async function audioSourceOf(db: Db, user: User, audioId: string) {
  const [speaker] = await db
    .select({ agentId: agentVoiceprints.agentId, name: agentVoiceprints.name })
    .from(agentVoiceprints)
    .where(and(eq(agentVoiceprints.audioId, audioId), visibleVoiceprints(user)))
    .limit(1)
  if (speaker) return { agentId: speaker.agentId, action: `播放声纹「${speaker.name}」的录音` }
  const [turn] = await db
    .select({ agentId: agentTurns.agentId, agentName: agents.agentName, reportTime: agentTurns.reportTime })
    .from(agentTurns)
    .innerJoin(agents, eq(agents.id, agentTurns.agentId))
    .where(and(eq(agentTurns.audioId, audioId), eq(agentTurns.kind, USER_TURN), visibleAgents(user)))
    .limit(1)
  return turn && { agentId: turn.agentId, action: `播放智能体「${turn.agentName}」于 ${turn.reportTime} 的用户录音` }
}
