import type { ProblemPart } from '@oms/contract/ticket/ticket-rows.ts'
import { dialogs } from '#core/loading/overlays.ts'

interface Closing {
  readonly remark?: string
  readonly problemAttr?: Readonly<Record<ProblemPart, readonly string[]>>
}

/** Returns the names of the empty fields that describe how the ticket was solved. */
export const listMissingAtClose = ({ remark = '', problemAttr }: Closing) => [
  ...(remark.trim() === '' ? ['处理备注'] : []),
  ...(Object.values(problemAttr ?? {}).every((ticked) => ticked.length === 0) ? ['问题分类'] : []),
]

/** Asks once before a ticket is closed without a remark or a problem category. */
export function confirmClose(values: Closing, onClose: () => void) {
  const missing = listMissingAtClose(values)
  if (missing.length === 0) return onClose()
  dialogs.confirm({
    title: '关闭工单？',
    content: `未填写：${missing.join('、')}。`,
    okText: '关闭工单',
    cancelText: '继续填写',
    onOk: onClose,
  })
}
