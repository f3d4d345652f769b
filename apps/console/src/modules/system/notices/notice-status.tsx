import { NOTICE_PUBLISHED } from '@oms/contract/system/notice.ts'
import type { NoticeRow } from '@oms/contract/system/notice-rows.ts'
import type * as z from 'zod'
import { formatWallClock } from '#core/text/format.ts'
import { DictTag } from '#kit/pickers/dict.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'
import { State } from '#kit/record/state.tsx'

export type Notice = z.output<typeof NoticeRow>

/** Status of a notice. For a published notice it also shows whether its display time is pending or over. */
export function NoticeStatus({ notice: { status, startTime, endTime } }: { notice: Notice }) {
  const dict = useDict('sys_notice_status')
  const now = formatWallClock()
  if (status === NOTICE_PUBLISHED && startTime && startTime > now) return <State color="processing">定时待发</State>
  if (status === NOTICE_PUBLISHED && endTime && endTime <= now) return <State>已结束</State>
  return <DictTag dict={dict} value={status} />
}

export function NoticeType({ type }: { type: number }) {
  return <DictTag dict={useDict('sys_notice_type')} value={type} />
}

const PRIORITY = { 1: ['低', 'default'], 2: ['中', 'processing'], 3: ['高', 'error'] } as const

export function NoticePriority({ priority }: { priority: number }) {
  const [label, color] = PRIORITY[priority as keyof typeof PRIORITY] ?? PRIORITY[2]
  return <State color={color}>{label}</State>
}
