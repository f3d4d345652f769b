import { Tooltip } from 'antd'
import type { ReactNode } from 'react'
import './advertise.css'

/** Shows the beginning of the reason below the tag of a rejection. The tooltip with the whole reason also opens on focus and touch. */
export const RejectedTag = ({ reason, children }: { reason: string; children: ReactNode }) => (
  <Tooltip title={`驳回原因：${reason}`} trigger={['hover', 'focus', 'click']}>
    <span {...{ tabIndex: 0 }} className="ad-rejected">
      {children}
      <small>{reason}</small>
    </span>
  </Tooltip>
)
