import { LOG_STATUS } from '@oms/contract/system/log.ts'
import { Tooltip } from 'antd'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'

/** Result of an operation; the failure reason is a tooltip on hover and focus. */
export function OutcomeTag({ ok, why }: { ok: boolean; why?: string }) {
  const tag = (
    <span {...(!ok && why && { tabIndex: 0 })}>
      <DictLabelTag type="sys_common_status" words={LOG_STATUS} value={ok ? 1 : 0} />
    </span>
  )
  return !ok && why ? <Tooltip title={why}>{tag}</Tooltip> : tag
}
