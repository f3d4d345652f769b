import { AGENT_TOOL, type AgentTool } from '@oms/contract/agent/agents/agent-input.ts'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { MAX_OPEN_REMINDERS, MAX_REMINDER, MAX_REMINDER_DAYS } from '@oms/contract/agent/history/reminder.ts'
import { PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import * as z from 'zod'
import { ApiError } from '#core/http/api-error.ts'
import type { Services } from '#core/services.ts'
import { parseLocalTime, formatLocalTime } from '#core/time/zone.ts'
import { createTicketFromDevice } from '#modules/ticket/index.ts'
import type { EnabledAgentDevice } from '../../devices/bound-devices.ts'
import { addReminder } from '../../history/reminder.ts'
import { buildDeviceContext } from './context.ts'

type Arguments = Readonly<Record<string, unknown>>
/** Runs a tool and returns the text that the device speaks. */
type Tool = (services: Services, device: EnabledAgentDevice, given: Arguments) => Promise<string>

const CONTROL = /[^\P{Cc}\n\t]/gu
const spoken = (length: number) =>
  z.preprocess(
    (value) =>
      typeof value === 'string' ? value.toWellFormed().replaceAll(CONTROL, ' ').trim().slice(0, length) : value,
    z.string(),
  )
const Repair = z.object({
  problem: spoken(500).pipe(z.string().min(2)),
  type: z.string().max(20).nullish(),
  contact: spoken(50).nullish(),
})

const problemTypeOf = (name: string | null | undefined) =>
  Number(Object.entries(PROBLEM_TYPE).find(([, title]) => title === name)?.[0] ?? 1)

/** Opens a ticket of the device. A repeated call for the same problem returns the open ticket. */
const repair: Tool = async (services, { deviceId, tenantId, sn }, given) => {
  const { data } = Repair.safeParse(given)
  if (!data) return '还不能报修：请先说明故障现象。'
  const { problem, type, contact } = data
  const said = { content: problem, contact: contact ?? '', problemType: problemTypeOf(type) }
  try {
    const report = { deviceId, tenantId, sn, ...said, isOnce: true }
    const { feedbackNo, isExisting } = await createTicketFromDevice(services, report)
    if (isExisting) return `这个问题已经报修过，工单编号 ${feedbackNo}，正在处理。`
    return `已为本设备报修，工单编号 ${feedbackNo}，客服会尽快处理。`
  } catch (error) {
    if (error instanceof ApiError) return `没有报修成功：${error.message}。`
    throw error
  }
}

const warranty: Tool = async ({ database }, device) => {
  const facts = await buildDeviceContext(database.pool, device, ['model', 'warranty'])
  const model = facts['设备型号'] ? `型号 ${facts['设备型号']}，` : ''
  return facts['保修'] ? `本设备${model}${facts['保修']}。` : `本设备${model}没有登记保修期，请联系客服确认。`
}

const FIRMWARE = `select d.app_version as version, t.state, t.progress, v.ver_name as "newVersion"
  from agent_devices d
    left join lateral (select o.state, o.progress, o.ota_id, o.ver_code from ota_tasks o
      where o.device_id = d.device_id and o.package_name = '' order by o.task_id desc limit 1) t on true
    left join ota_versions v on v.ota_id = t.ota_id
  where d.device_id = $1`

interface FirmwareRow {
  readonly version: string
  readonly state: number | null
  readonly progress: number
  readonly newVersion: string | null
}

/** Describes the state of the newest upgrade task. Firmware of a voice device is installed at its next boot. */
function upgradeText({ state, newVersion }: FirmwareRow): string {
  const version = newVersion ?? ''
  if (state === null) return '目前没有下发给本设备的升级。'
  if (state === TASK_STATE_CODE.succeeded) return `最近一次升级到 ${version} 已成功。`
  if (state === TASK_STATE_CODE.failed) return `最近一次升级到 ${version} 没有成功，可以重启设备再试，或者报修。`
  if (state >= TASK_STATE_CODE.cancelling) return '最近一次升级已取消，目前没有待安装的升级。'
  if (state === TASK_STATE_CODE.offered) return `有新版本 ${version}，重启设备后会自动安装。`
  return `正在升级到 ${version}，请不要断电。`
}

const firmware: Tool = async ({ database }, { deviceId }) => {
  const { rows } = await database.pool.query<FirmwareRow>(FIRMWARE, [deviceId])
  const row = rows[0]!
  return `${row.version ? `当前固件版本 ${row.version}。` : ''}${upgradeText(row)}`
}

const CALLS: Readonly<Record<AgentTool, Tool>> = { repair, warranty, firmware, reminder: setReminder }

/** Runs a tool for a device, and adds the call to the timeline of the device. */
export async function callTool(
  services: Services,
  device: EnabledAgentDevice,
  tool: AgentTool,
  given: Arguments,
): Promise<string> {
  const text = await CALLS[tool](services, device, given)
  const { mac, tenantId } = device
  const detail = { tool: AGENT_TOOL[tool] }
  services.voiceServers.events.add({ mac, tenantId, kind: AGENT_EVENT_KIND.tool, detail }, Date.now())
  return text
}

const MINUTE_MS = 60_000
const MAX_AHEAD_MS = MAX_REMINDER_DAYS * 1440 * MINUTE_MS
/** Tolerance for past times. A call in the very minute that the user named is not late. */
const LATE_MS = MINUTE_MS
const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?::\d{2})?$/

/** Returns the text on one line. A line break in a reminder could imitate another instruction in the prompt. */
const oneLine = (value: unknown) =>
  typeof value === 'string'
    ? value
        .toWellFormed()
        .replaceAll(/[\s\p{Cc}]+/gu, ' ')
        .trim()
    : ''

const Given = z.object({
  content: z.preprocess(oneLine, z.string()),
  time: z.preprocess(oneLine, z.string()),
  minutes: z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) : value),
    z.number().int().min(1).max(1_000_000).optional().catch(undefined),
  ),
})

/** Rounds up to whole minutes, so that a repeated call has the same time. */
const nextMinute = (at: number) => Math.ceil(at / MINUTE_MS) * MINUTE_MS

/** Returns the time of the reminder in milliseconds. Returns undefined for an invalid date or time. */
function timeOf({ time, minutes }: z.output<typeof Given>, now: number, zone: string): number | undefined {
  const [, day, clock] = LOCAL_TIME.exec(time) ?? []
  if (day === undefined || clock === undefined)
    return minutes === undefined ? undefined : nextMinute(now + minutes * MINUTE_MS)
  const utc = new Date(`${day}T${clock}:00Z`)
  const isReal = !Number.isNaN(utc.getTime()) && utc.toISOString().startsWith(`${day}T${clock}`)
  return isReal ? parseLocalTime(`${day} ${clock}:00`, zone) : undefined
}

const UNBOUND = '没有设置提醒：设备已解除绑定。'

/** Returns the sentence with which the device explains why the reminder is not stored, or undefined. */
function refusalOf(content: string, at: number | undefined, now: number, zone: string): string | undefined {
  const present = `现在是${formatLocalTime(now, zone).slice(0, 16)}`
  if (content === '') return '没有设置提醒：请先说明要提醒什么。'
  if ([...content].length > MAX_REMINDER) return `没有设置提醒：提醒内容不能超过${MAX_REMINDER}个字。`
  if (at === undefined) return `没有设置提醒：请说明提醒的日期和时间，${present}。`
  if (at < now - LATE_MS) return `没有设置提醒：这个时间已经过了，${present}。`
  if (at > now + MAX_AHEAD_MS) return `没有设置提醒：只能设置 ${MAX_REMINDER_DAYS} 天以内的提醒。`
  return undefined
}

/**
 * Stores a reminder of the device. The device cannot speak by itself, so the result of the tool says that the agent
 * tells the reminder in the next conversation after its time.
 */
async function setReminder(
  { config: { timeZone }, database, now: clock }: Services,
  { deviceId, tenantId }: EnabledAgentDevice,
  given: Readonly<Record<string, unknown>>,
): Promise<string> {
  const now = clock().getTime()
  const fields = Given.parse(given)
  const { content } = fields
  const at = timeOf(fields, now, timeZone)
  const refusal = refusalOf(content, at, now, timeZone)
  if (refusal !== undefined || at === undefined) return refusal ?? UNBOUND
  const remindTime = new Date(at).toISOString()
  const outcome = await addReminder(database.db, { deviceId, tenantId, content, remindTime })
  if (outcome === 'unbound') return UNBOUND
  if (outcome === 'full')
    return `没有设置提醒：本设备已有${MAX_OPEN_REMINDERS}个还没有告知的提醒，到时间告知后才能再设置。`
  const shown = formatLocalTime(at, timeZone).slice(0, 16)
  return `已记下提醒：${shown}，${content}。设备不会自己出声：到时间后，您下次和设备对话时，会先告诉您。`
}
