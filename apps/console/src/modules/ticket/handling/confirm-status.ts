import { FEEDBACK_CLOSED } from '@oms/contract/ticket/ticket-rows.ts'
import { dialogs } from '#core/loading/overlays.ts'

/** Status that the form shows at first, as the specification demands. */
export const FIRST_STATUS = 1

/**
 * Asks before the initial status of the form replaces a later status that the handler has not changed. `label` returns
 * the name of a status on the screen.
 */
export function confirmStatus(
  { current, chosen, isTouched }: { current: number; chosen: number | undefined; isTouched: boolean },
  label: (status: number) => string,
  onConfirm: () => void,
) {
  const isLater = current > FIRST_STATUS && current < FEEDBACK_CLOSED
  if (isTouched || chosen !== FIRST_STATUS || !isLater) return onConfirm()
  const [from, to] = [label(current), label(FIRST_STATUS)]
  dialogs.confirm({
    title: `处理状态从「${from}」改为「${to}」？`,
    content: '未选择处理状态，表单的初始状态会覆盖工单当前的状态。',
    okText: `改为「${to}」`,
    cancelText: '返回选择',
    onOk: onConfirm,
  })
}
