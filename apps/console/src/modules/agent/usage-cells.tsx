import { nameUsageGroup, USAGE_GROUP_CODE, type UsageFigures, type UsageRow } from '@oms/contract/agent/usage/usage.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { agentDetailPath } from './agents/agent.tsx'

interface Figure {
  readonly title: string
  /** Value of the chart. */
  value(figures: UsageFigures): number
  isEstimate?(figures: UsageFigures): boolean
}

/** Decimals of amounts in yuan, because one turn may cost less than a fen. */
const DECIMALS = 4
const yuanOf = (fen: number) => Number((fen / 100).toFixed(DECIMALS))

/** Usage figures with their Chinese titles. */
export const FIGURE_FORMATS = {
  turns: { title: '轮数', value: ({ turns }) => turns },
  sessions: { title: '对话次数', value: ({ sessions }) => sessions },
  minutes: {
    title: '语音分钟',
    value: ({ minutes }) => minutes,
    isEstimate: ({ hasEstimatedMinutes }) => hasEstimatedMinutes,
  },
  characters: { title: '播报字数', value: ({ characters }) => characters },
  tokens: {
    title: 'Token',
    value: ({ tokens }) => tokens,
    isEstimate: ({ hasEstimatedTokens }) => hasEstimatedTokens,
  },
  deviceDays: { title: '设备天数', value: ({ deviceDays }) => deviceDays },
  cost: {
    title: '成本（元）',
    value: ({ cost }) => yuanOf(cost),
    isEstimate: ({ hasEstimatedMinutes, hasEstimatedTokens }) => hasEstimatedMinutes || hasEstimatedTokens,
  },
} as const satisfies Readonly<Record<string, Figure>>

/** Returns a figure as text. Figures with estimates begin with 约. */
export function formatFigure(measure: keyof typeof FIGURE_FORMATS, figures: UsageFigures) {
  const { value, isEstimate }: Figure = FIGURE_FORMATS[measure]
  const n = value(figures)
  const text = n.toLocaleString('zh-CN', { maximumFractionDigits: DECIMALS })
  return n > 0 && isEstimate?.(figures) ? `约 ${text}` : text
}

interface NameProps {
  readonly row: UsageRow
  readonly by: number
  /** Called to show the usage of a tenant by agent. */
  onTenant(tenant: { readonly id: number; readonly name: string }): void
}

/** Name of a group with a link to its record. The link of a tenant opens the usage of its agents. */
export function UsageName({ row, by, onTenant }: NameProps) {
  const { id, name } = row
  const text = nameUsageGroup(row, by)
  if (id === 0 || name === '') return text
  if (by === USAGE_GROUP_CODE.tenant)
    return (
      <button type="button" className="kit-link" onClick={() => onTenant({ id, name })}>
        {text}
      </button>
    )
  if (by === USAGE_GROUP_CODE.agent) return <PermittedLink to={agentDetailPath(id)}>{text}</PermittedLink>
  if (by === USAGE_GROUP_CODE.device) return <PermittedLink to={`/device/apkManage/detail/${id}`}>{text}</PermittedLink>
  return text
}
