import { MAX_REMINDER, MAX_REMINDER_DAYS } from '@oms/contract/agent/history/reminder.ts'
import { PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import type { AgentTool } from '@oms/contract/agent/agents/agent-input.ts'

/** Description of a tool, as a language model reads it. */
interface ToolDescription {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
}

const NO_INPUT = { type: 'object', properties: {}, required: [] }

/** Tools by their name in the contract. Names are Latin, because language models accept no other names of functions. */
export const TOOL_DESCRIPTIONS: Readonly<Record<AgentTool, ToolDescription>> = {
  repair: {
    name: 'open_repair_ticket',
    description: '为当前设备报修。用户说设备有故障、要求维修或售后时调用；先问清故障现象。返回工单编号。',
    inputSchema: {
      type: 'object',
      properties: {
        problem: { type: 'string', description: '故障现象，用用户的原话，2 到 500 个字' },
        type: { type: 'string', enum: Object.values(PROBLEM_TYPE), description: '问题类型，不确定时不填' },
        contact: { type: 'string', description: '用户愿意留下的联系方式，没有则不填' },
      },
      required: ['problem'],
    },
  },
  warranty: {
    name: 'query_warranty',
    description: '查询当前设备的型号和保修期。用户询问保修、是否过保时调用。',
    inputSchema: NO_INPUT,
  },
  firmware: {
    name: 'query_firmware',
    description: '查询当前设备的固件版本和升级情况。用户询问版本、能否升级、升级是否成功时调用。',
    inputSchema: NO_INPUT,
  },
  reminder: {
    name: 'set_reminder',
    description:
      '为当前设备记下一个提醒。用户要求在某个时间提醒他做某事时调用。设备不会在那个时间自己出声：到时间后，用户下次和设备对话时才会先告诉他，必须把这一点告诉用户。需要准时响铃的闹钟不适用。',
    inputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string', description: `提醒的内容，用用户的原话，不超过 ${MAX_REMINDER} 个字` },
        time: {
          type: 'string',
          description: `提醒的时间，格式 yyyy-MM-dd HH:mm，用户当地时间，${MAX_REMINDER_DAYS} 天以内`,
        },
        minutes: { type: 'integer', description: '用户说“过多久”时，从现在起的分钟数；填了它就不填 time' },
      },
      required: ['content'],
    },
  },
}

/** Returns the tool with this name, if the agent has chosen the tool. */
export const findChosenTool = (chosen: readonly string[], name: unknown): AgentTool | undefined =>
  (Object.keys(TOOL_DESCRIPTIONS) as AgentTool[]).find(
    (tool) => chosen.includes(tool) && TOOL_DESCRIPTIONS[tool].name === name,
  )
