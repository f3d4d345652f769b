import * as z from 'zod'
import { addRangeCheck, dayRange } from '../../core/day-range.ts'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, optional } from '../../core/fields.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'
import { exportQuery } from '../../core/transfer.ts'
import { SOURCE_NAMES } from './usage-unit.ts'

/** Ways to group the usage. */
export const USAGE_GROUP = { 1: '客户', 2: '智能体', 3: '设备', 4: '模型', 5: '来源' } as const
export const USAGE_GROUP_CODE = { tenant: 1, agent: 2, device: 3, model: 4, source: 5 } as const

/** Returns the name of a usage group. Usage without a record, or of a deleted record, gets a descriptive text. */
export function nameUsageGroup({ id, name }: { readonly id: number; readonly name: string }, group: number): string {
  if (id === 0) return group === USAGE_GROUP_CODE.device ? '非设备或较早的用量' : '未指定'
  return name || '已删除'
}

const filter = dayRange.extend({
  tenantId: optional(id).meta({ title: '客户' }),
  agentId: optional(id).meta({ title: '智能体' }),
  deviceId: optional(id).meta({ title: '设备' }),
  modelId: optional(id).meta({ title: '模型' }),
  source: optional(choice('来源', SOURCE_NAMES)),
})
const by = choice('统计方式', USAGE_GROUP)

const figures = {
  sessions: z.number().meta({ title: '对话次数' }),
  turns: z.number().meta({ title: '轮数' }),
  toolCalls: z.number().meta({ title: '工具调用' }),
  minutes: z.number().meta({ title: '语音分钟' }),
  characters: z.number().meta({ title: '播报字数' }),
  tokensIn: z.number().meta({ title: '输入 Token' }),
  tokensOut: z.number().meta({ title: '输出 Token' }),
  /** Part of `tokensIn` that the vendor read from its cache. */
  tokensCached: z.number().meta({ title: '缓存 Token' }),
  /** `tokensIn` and `tokensOut`. */
  tokens: z.number().meta({ title: 'Token' }),
  /** Days on which a device connected to a voice server or talked, summed over the devices. */
  deviceDays: z.number().meta({ title: '设备天数' }),
  /** Fen, with fractions. Tenants get the cost of their own models only. */
  cost: z.number().meta({ title: '成本（元）', unit: 'fen' }),
  /** True when the figure contains estimates. */
  hasEstimatedMinutes: z.boolean().meta({ title: '分钟含估算' }),
  hasEstimatedTokens: z.boolean().meta({ title: 'Token 含估算' }),
}
const UsageFigures = z.object(figures)
export type UsageFigures = z.output<typeof UsageFigures>
const UsageDay = z.object({ day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/), ...figures })

/** Usage of one group: a tenant, an agent, a device, a model, or a source. */
export const UsageRow = z.object({
  /** Id of the tenant, agent, device or model, or the source; 0: none. */
  id: z.int(),
  name: z.string().meta({ title: '名称' }),
  tenantName: z.string().meta({ title: '客户' }),
  ...figures,
})
export type UsageRow = z.output<typeof UsageRow>

const SORTS = ['sessions', 'turns', 'minutes', 'characters', 'tokens', 'tokensIn', 'tokensOut', 'cost'] as const
const ROOT = '/api/v1/agent/usage'
const listInput = sortedPage(SORTS).extend({ ...filter.shape, by })

/** Measured use of agents. Each sum is exact at the moment of the call. */
export const agentUsage = {
  days: {
    method: 'GET',
    path: `${ROOT}/day`,
    access: 'agent:agent:query',
    input: addRangeCheck(filter),
    result: z.object({ total: UsageFigures, days: z.array(UsageDay) }),
  },
  list: {
    method: 'GET',
    path: `${ROOT}/list`,
    access: 'agent:agent:query',
    input: addRangeCheck(listInput),
    result: createPageSchema(UsageRow),
  },
  export: {
    method: 'GET',
    path: `${ROOT}/export`,
    access: 'agent:agent:export',
    stream: 'download',
    kind: 'export',
    title: '导出智能体用量',
    input: addRangeCheck(filter.extend({ by, ...exportQuery.shape })),
    result: z.null(),
  },
} as const satisfies Contract
