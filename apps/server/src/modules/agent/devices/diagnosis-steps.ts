import type { DIAGNOSIS_STEP } from '@oms/contract/agent/devices/device.ts'
import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { TURN_KIND } from '../history/turn.ts'
import { agentSessions, agentTurns } from '../schema/agent-history.ts'
import { agentUsage } from '../schema/agent-usage.ts'
import { LIMIT_STATE_CODE } from '@oms/contract/agent/usage/usage-limit.ts'
import { and, eq, gt, gte, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { UsageLimit } from '../usage/usage-limit.ts'
import { agentCodes, type agentDevices, agentParams } from '../schema/agent-device.ts'
import { findLastOutcome } from './diagnosis-events.ts'

export interface DiagnosisStep {
  readonly key: keyof typeof DIAGNOSIS_STEP
  readonly isDone: boolean
  /** True when the step is not due yet or its outcome cannot be known. Such a step is not reported as missing. */
  readonly isUnknown?: boolean
  readonly time: string | null
  readonly words: string
}

type Binding = typeof agentDevices.$inferSelect

/** A binding with the facts that decide whether its device can talk. */
export interface DiagnosedBinding {
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
export async function diagnoseUnboundDevice({ db, now }: Ctx, mac: string): Promise<DiagnosisStep[]> {
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
    { key: 'bound', isDone: false, time: null, words: '请在“设备信息”中输入设备播报的验证码，或按 MAC 绑定' },
    ...(['token', 'configured', 'turn', 'ended'] as const).map((key) => ({
      key,
      isDone: false,
      time: null,
      words: '',
    })),
  ]
}

/** Returns the steps of a bound device. Includes the limit of packages only while the limit stops the device. */
export async function diagnoseBoundDevice(
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
