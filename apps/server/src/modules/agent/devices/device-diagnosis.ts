import { AGENT_EVENT, AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import type { agentDevices as calls, DIAGNOSIS_STEP } from '@oms/contract/agent/devices/device.ts'
import { LIMIT_STATE_CODE } from '@oms/contract/agent/usage/usage-limit.ts'
import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { and, eq, gt, gte, sql, desc, inArray, isNull, or } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { TURN_KIND } from '../history/turn.ts'
import { agentDevices, agentCodes, agentParams, agentEvents } from '../schema/agent-device.ts'
import { agentSessions, agentTurns } from '../schema/agent-history.ts'
import { agentUsage } from '../schema/agent-usage.ts'
import { agents } from '../schema/agent.ts'
import type { UsageLimit } from '../usage/usage-limit.ts'
import { readSessionWindow, visibleBindings, hasOpenSession, readBindingLimit } from './device.ts'

const MISSING = 0
const DONE = 1
const LATER = 2

/**
 * Returns the steps of a device from its boot to a conversation, and the first missing step. This step explains why the
 * device does not talk.
 */
export async function diagnose(ctx: Ctx, { mac }: ParsedOf<typeof calls.diagnose>) {
  const bound = await boundOf(ctx, mac)
  const limit = bound ? await readBindingLimit(ctx, bound.binding) : undefined
  const steps = bound ? await diagnoseBoundDevice(ctx, bound, limit) : await diagnoseUnboundDevice(ctx, mac)
  const first = steps.findIndex(({ isDone, isUnknown = false }) => !isDone && !isUnknown)
  return {
    mac: formatMac(mac),
    missing: first < 0 ? '' : steps[first]!.key,
    steps: steps.map(({ isDone, isUnknown: _unknown, ...step }, at) => ({
      ...step,
      state: isDone ? DONE : at === first ? MISSING : LATER,
    })),
    limit: limit ? { state: limit.state, reason: limit.reason, heard: heardOf(limit) } : null,
    events: await readLastEvents(ctx, mac, bound !== undefined),
  }
}

/** Describes the behaviour of a device at its limit, as a person notices it. Empty while the limit is not reached. */
function heardOf({ state, notice }: UsageLimit): string {
  if (state === LIMIT_STATE_CODE.normal) return ''
  if (state === LIMIT_STATE_CODE.exceeded) return '设备照常对话，超出的用量不扣套餐'
  return `设备不再对话，只播报：「${notice}」`
}

async function boundOf(ctx: Ctx, mac: string): Promise<DiagnosedBinding | undefined> {
  const { db, user } = ctx
  const [found] = await db
    .select({
      binding: agentDevices,
      agentName: agents.agentName,
      agentStatus: agents.status,
      agentDeleted: agents.deletedAt,
      deviceStatus: devices.status,
      tenantStatus: tenants.status,
      isOpen: hasOpenSession(await readSessionWindow(ctx.services)).as<boolean>('is_open'),
    })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .leftJoin(agents, eq(agents.id, agentDevices.agentId))
    .leftJoin(tenants, eq(tenants.id, agentDevices.tenantId))
    .where(and(eq(agentDevices.mac, mac), visibleBindings(user), notDeleted(devices)))
  return found
}

interface DiagnosisStep {
  readonly key: keyof typeof DIAGNOSIS_STEP
  readonly isDone: boolean
  /** True when the step is not due yet or its outcome cannot be known. Such a step is not reported as missing. */
  readonly isUnknown?: boolean
  readonly time: string | null
  readonly words: string
}

type Binding = typeof agentDevices.$inferSelect

/** A binding with the facts that decide whether its device can talk. */
interface DiagnosedBinding {
  readonly binding: Binding
  readonly agentName: string | null
  readonly agentStatus: number | null
  readonly agentDeleted: string | null
  readonly deviceStatus: number
  readonly tenantStatus: number | null
  /** True during a conversation. */
  readonly isOpen: boolean
}

const NO_BOOT = '没有收到该 MAC 的启动请求。请检查设备的 OTA 地址是否为本系统的 /xiaozhi/ota/，以及设备能否连接网络'

/** Returns the steps of a device that waits for its binding, or never called OMS. */
async function diagnoseUnboundDevice({ db, now }: Ctx, mac: string): Promise<DiagnosisStep[]> {
  const [code] = await db
    .select({ time: agentCodes.createTime, board: agentCodes.board, version: agentCodes.version })
    .from(agentCodes)
    .where(and(eq(agentCodes.mac, mac), gt(agentCodes.expireTime, now.toISOString())))
  const time = code?.time ?? null
  const told = code ? `开发板 ${code.board}，固件 ${code.version || '未知'}` : NO_BOOT
  const words = '设备播报六位验证码，24 小时内有效'
  return [
    { key: 'boot', isDone: code !== undefined, time, words: told },
    { key: 'code', isDone: code !== undefined, time, words: code ? words : '' },
    { key: 'bound', isDone: false, time: null, words: '请在“语音设备”中输入设备播报的验证码，或按 MAC 绑定' },
    ...(['token', 'configured', 'turn', 'ended'] as const).map((key) => ({
      key,
      isDone: false,
      time: null,
      words: '',
    })),
  ]
}

/** Returns the steps of a bound device. Includes the limit of packages only while the limit stops the device. */
async function diagnoseBoundDevice(
  ctx: Ctx,
  bound: DiagnosedBinding,
  limit: UsageLimit | undefined,
): Promise<DiagnosisStep[]> {
  const { board, appVersion, bootTime, createTime, sessionTime } = bound.binding
  const hasBooted = bootTime !== null
  const version = `开发板 ${board || '未知'}，固件 ${appVersion || '未知'}`
  return [
    {
      key: 'boot',
      // The device may have received the address of its voice server from another system.
      isDone: hasBooted || sessionTime !== null,
      time: bootTime,
      words: hasBooted ? version : sessionTime === null ? NO_BOOT : '没有在本系统启动过，但已连接语音服务',
    },
    { key: 'code', isDone: true, time: null, words: '已绑定，不再需要验证码' },
    { key: 'bound', isDone: true, time: createTime, words: `智能体「${bound.agentName ?? ''}」` },
    { key: 'token', ...(await tokenStep(ctx, bound)), time: bootTime },
    await configurationStep(ctx, bound),
    ...limitStep(limit),
    await turnStep(ctx, bound),
    endStep(bound),
  ]
}

/** Judges the last request, because a device may be refused after earlier conversations. */
async function configurationStep(ctx: Ctx, bound: DiagnosedBinding): Promise<DiagnosisStep> {
  const { sessionTime } = bound.binding
  const last = await findLastOutcome(ctx, bound.binding)
  const problem = agentProblem(bound) || (last?.isRefused ? `最近一次被拒绝：${last.words}` : '')
  const words = problem || (sessionTime === null ? NO_CONFIGURATION : (last?.words ?? '已领取配置'))
  const time = last?.isRefused ? last.time : sessionTime
  return { key: 'configured', isDone: sessionTime !== null && problem === '', time, words }
}

const limitStep = (limit: UsageLimit | undefined): DiagnosisStep[] =>
  limit?.state === LIMIT_STATE_CODE.stopped
    ? [{ key: 'limit', isDone: false, time: null, words: `${limit.reason}。设备只播报提示语，续费后下次连接时恢复` }]
    : []

/** Judges the last session. Voice servers report the turns of every agent. */
async function turnStep(ctx: Ctx, { binding, isOpen }: DiagnosedBinding): Promise<DiagnosisStep> {
  const { sessionTime, turnTime } = binding
  const step = { key: 'turn', time: turnTime } as const
  if (turnTime !== null && (sessionTime === null || turnTime >= sessionTime)) {
    const isDone = await isAnswered(ctx, binding)
    return { ...step, isDone, words: isDone ? '' : NO_ANSWER }
  }
  if (await hasUnreportedUse(ctx, binding)) return { ...step, time: sessionTime, isDone: false, words: NO_REPORT }
  if (turnTime === null) return { ...step, isDone: false, words: NO_TURN }
  // The time of an older turn would look like the time of this connection.
  const words = isOpen ? '已连接，还没有说话' : NO_TURN_SINCE
  return { ...step, time: sessionTime, isDone: false, isUnknown: isOpen, words }
}

const ANSWER_SECONDS = 30

/** Returns false when a user spoke in the last session more than 30 seconds ago and the agent never answered. */
async function isAnswered({ db }: Ctx, { deviceId, sessionId }: Binding) {
  const [found] = await db
    .select({
      isAnswered: sql<boolean>`coalesce(bool_or(${agentTurns.kind} = ${TURN_KIND.agent})
        or min(${agentTurns.reportTime}) > now() - make_interval(secs => ${ANSWER_SECONDS}), true)`,
    })
    .from(agentSessions)
    .innerJoin(agentTurns, eq(agentTurns.sessionRowId, agentSessions.id))
    .where(and(eq(agentSessions.deviceId, deviceId), eq(agentSessions.sessionId, sessionId)))
  return found!.isAnswered
}

/** Returns whether the relay counted tokens of the device since the day of its last connection, but no turn. */
async function hasUnreportedUse({ db }: Ctx, { deviceId, sessionTime }: Binding) {
  if (sessionTime === null) return false
  const unitSum = (unit: number) => sql`coalesce(sum(${agentUsage.n}) filter (where ${agentUsage.unit} = ${unit}), 0)`
  const [found] = await db
    .select({ isUsed: sql<boolean>`${unitSum(USAGE_UNIT.tokensIn)} > 0 and ${unitSum(USAGE_UNIT.turns)} = 0` })
    .from(agentUsage)
    .where(
      and(
        eq(agentUsage.deviceId, deviceId),
        eq(agentUsage.source, USAGE_SOURCE.device),
        gte(agentUsage.day, sessionTime.slice(0, 10)),
      ),
    )
  return found!.isUsed
}

function endStep({ binding, isOpen }: DiagnosedBinding): DiagnosisStep {
  const { sessionTime, turnTime, closeTime } = binding
  const step = { key: 'ended', time: isOpen ? null : closeTime } as const
  const isDone = closeTime !== null && closeTime >= (turnTime ?? '') && !isOpen
  if (isDone) return { ...step, isDone, words: '' }
  const words = isOpen && sessionTime !== null ? '对话进行中' : isOpen ? '' : NO_END
  return { ...step, isDone, isUnknown: isOpen, words }
}

const NO_CONFIGURATION =
  '语音服务没有为该设备领取配置。请检查设备能否访问语音服务的地址，以及语音服务的 manager-api.url 与 secret'
const NO_ANSWER = '用户说了话，但智能体没有回答。请检查大语言模型和语音合成是否可用'
const NO_REPORT =
  '语音服务调用了大语言模型，但没有上报对话。请查看语音服务的日志，并检查记忆方式和意图识别使用的模型是否可用'
const NO_TURN = '语音服务没有上报对话。请对设备说话，并检查语音服务的 manager-api 设置'
const NO_TURN_SINCE = '最近一次连接后没有上报对话。请检查语音识别和大语言模型是否可用'
const NO_END = '语音服务没有报告会话结束，可能已中断，或版本过旧'

const agentProblem = ({ agentStatus, agentDeleted }: DiagnosedBinding) =>
  agentStatus === null || agentDeleted !== null ? '智能体已删除' : agentStatus === 1 ? '' : '智能体已停用'

/** Describes what the last boot response contained, and which parameter it came from. */
async function tokenStep(ctx: Ctx, { binding, deviceStatus, tenantStatus }: DiagnosedBinding) {
  const { tenantId, bootTime, otherClientId } = binding
  if (deviceStatus !== 1 || tenantStatus !== 1) return { isDone: false, words: '设备或所属客户已停用，不下发令牌' }
  const values = await ctx.services.agentParameters.of(tenantId)
  if (otherClientId !== '' && values.text('device.identity') === '1')
    return { isDone: false, words: '设备的 Client-Id 与绑定时不一致，不下发令牌。确认后请重置身份' }
  if (bootTime === null) return { isDone: binding.sessionTime !== null, words: '设备启动时下发' }
  const own = values.text('server.websocket')
  const address = own === '' ? '设备所访问主机的 8000 端口（默认）' : `${own}（${await sourceOf(ctx, tenantId)}）`
  const identity = otherClientId === '' ? '' : '；另有设备以同一 MAC 启动'
  const token = values.isOn('server.auth.enabled') ? '令牌已下发' : '语音服务未启用令牌校验'
  return { isDone: true, words: `语音服务：${address}；${token}${identity}` }
}

async function sourceOf({ db }: Ctx, tenantId: number) {
  if (tenantId === PLATFORM_TENANT_ID) return '平台参数'
  const own = await db.$count(
    agentParams,
    and(eq(agentParams.tenantId, tenantId), eq(agentParams.code, 'server.websocket')),
  )
  return own > 0 ? '客户参数' : '平台参数'
}

const MAX_EVENTS = 50

/**
 * Returns the last events of a MAC. Events before the binding belong to no tenant and are shown to the platform only.
 */
async function readLastEvents({ db, user }: Ctx, mac: string, isBound: boolean) {
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
async function findLastOutcome({ db }: Ctx, { mac, tenantId, createTime }: BoundSince) {
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
