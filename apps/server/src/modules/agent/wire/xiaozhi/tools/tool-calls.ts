import { AGENT_TOOL, type AgentTool } from '@oms/contract/agent/agents/agent-input.ts'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import * as z from 'zod'
import { ApiError } from '#core/http/api-error.ts'
import type { Services } from '#core/services.ts'
import { buildDeviceContext } from '../../../devices/device-context.ts'
import { createTicketFromDevice } from '#modules/ticket/create-ticket.ts'
import type { EnabledAgentDevice } from '../../../devices/enabled-agent-devices.ts'
import { setReminder } from './tool-reminder.ts'

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
