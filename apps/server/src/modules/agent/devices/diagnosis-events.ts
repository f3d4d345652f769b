import { AGENT_EVENT, AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { and, desc, eq, gte, inArray, isNull, or } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { agentEvents } from '../schema/agent-device.ts'

const MAX_EVENTS = 50

/**
 * Returns the last events of a MAC. Events before the binding belong to no tenant and are shown to the platform only.
 */
export async function readLastEvents({ db, user }: Ctx, mac: string, isBound: boolean) {
  if (!isBound && !user.isPlatform) return []
  const own = scoped(user, { tenant: agentEvents.tenantId })
  const visible = user.isPlatform && own ? or(isNull(agentEvents.tenantId), own) : own
  const rows = await db
    .select({
      id: agentEvents.id,
      kind: agentEvents.kind,
      detail: agentEvents.detail,
      createTime: agentEvents.createTime,
    })
    .from(agentEvents)
    .where(and(eq(agentEvents.mac, mac), visible))
    .orderBy(desc(agentEvents.id))
    .limit(MAX_EVENTS)
  return rows.filter(({ kind }) => kind in AGENT_EVENT).map((row) => ({ ...row, detail: textOf(row.kind, row.detail) }))
}

/** Returns the detail of an event in Chinese. */
function textOf(kind: number, detail: Record<string, unknown>): string {
  const has = (key: string) => detail[key] !== undefined && detail[key] !== ''
  if (kind === AGENT_EVENT_KIND.boot)
    return [
      has('board') ? `开发板 ${String(detail['board'])}` : '',
      has('version') ? `固件 ${String(detail['version'])}` : '',
      detail['token'] === true ? '已下发令牌' : '未下发令牌',
    ]
      .filter(Boolean)
      .join('，')
  if (kind === AGENT_EVENT_KIND.configured) return configurationText(detail)
  if (kind === AGENT_EVENT_KIND.refused) return String(detail['reason'] ?? '')
  if (kind === AGENT_EVENT_KIND.modelFailed) return `${String(detail['model'])}：${String(detail['reason'])}`
  if (kind === AGENT_EVENT_KIND.stopped) return `${String(detail['reason'])}，设备播报了提示语`
  if (kind === AGENT_EVENT_KIND.tool) return String(detail['tool'] ?? '')
  if (kind === AGENT_EVENT_KIND.context) return String(detail['facts'] || '没有可提供的信息')
  const words = { board: '开发板', version: '固件', clientId: 'Client-Id', serial: '序列号', account: '操作人' }
  return Object.entries(words)
    .filter(([key]) => has(key))
    .map(([key, title]) => `${title} ${String(detail[key])}`)
    .join('，')
}

/** Describes the configuration that a voice server got: agent, version and models. */
const configurationText = ({
  agent,
  version,
  llm,
  tts,
  withheld,
  missingKeys,
  reminders,
  limit,
  isStopped,
}: Record<string, unknown>) =>
  [
    `智能体「${String(agent)}」版本 ${String(version)}`,
    llm ? `大语言模型 ${String(llm)}` : '未设置大语言模型',
    tts ? `语音合成 ${String(tts)}` : '未设置语音合成',
    ...(reminders ? [`到时间的提醒 ${String(reminders)} 条`] : []),
    ...(withheld ? [`未下发平台模型 ${String(withheld)} 的密钥，请选用自有模型或经由平台调用的模型`] : []),
    ...(missingKeys ? [`${String(missingKeys)}，未下发`] : []),
    ...(limit ? [`${String(limit)}，${isStopped === true ? '设备只播报提示语' : '照常对话'}`] : []),
  ].join('，')

interface BoundSince {
  readonly mac: string
  readonly tenantId: number
  readonly createTime: string
}

/** Returns the outcome of the last configuration request since the binding; undefined before the first request. */
export async function findLastOutcome({ db }: Ctx, { mac, tenantId, createTime }: BoundSince) {
  const [last] = await db
    .select({ kind: agentEvents.kind, detail: agentEvents.detail, time: agentEvents.createTime })
    .from(agentEvents)
    .where(
      and(
        eq(agentEvents.mac, mac),
        inArray(agentEvents.kind, [AGENT_EVENT_KIND.configured, AGENT_EVENT_KIND.refused]),
        eq(agentEvents.tenantId, tenantId),
        gte(agentEvents.createTime, createTime),
      ),
    )
    .orderBy(desc(agentEvents.id))
    .limit(1)
  return (
    last && {
      isRefused: last.kind === AGENT_EVENT_KIND.refused,
      time: last.time,
      words: textOf(last.kind, last.detail),
    }
  )
}
