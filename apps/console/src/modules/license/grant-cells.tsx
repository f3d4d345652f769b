import { GRANT_STATUS, type GrantRow } from '@oms/contract/license/license-grant.ts'
import { Tag } from 'antd'

const COLORS: Readonly<Record<number, string>> = {
  0: 'processing',
  1: 'success',
  2: 'warning',
  3: 'orange',
  4: 'default',
  5: 'error',
}

export const GrantTag = ({ status }: { status: number }) => (
  <Tag color={COLORS[status] ?? 'default'} style={{ margin: 0 }}>
    {GRANT_STATUS[status as keyof typeof GRANT_STATUS] ?? status}
  </Tag>
)

/** Usage of a grant; red below ten percent remaining. */
export function GrantQuota({ row: { quota, used } }: { row: Pick<GrantRow, 'quota' | 'used'> }) {
  const part = quota === 0 ? 0 : used / quota
  const colour =
    part > 0.9 ? 'var(--ant-color-error)' : part > 0.7 ? 'var(--ant-color-warning)' : 'var(--ant-color-primary)'
  return (
    <span className="kit-row kit-number">
      <span className="kit-bar" aria-hidden>
        <span style={{ width: `${part * 100}%`, background: colour, minWidth: used > 0 ? 2 : 0 }} />
      </span>
      <span>
        {used.toLocaleString()} / {quota.toLocaleString()}
      </span>
    </span>
  )
}
