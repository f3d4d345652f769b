import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { formatCount } from '#core/text/format.ts'
import '#kit/kit.css'

/** Maximum number of rows that the bar offers to select. */
const MAX_SELECTED = 1000

interface BarProps {
  readonly count: number
  readonly total: number
  /** Selects the rows of all pages. Absent when the table shows all rows. */
  readonly onSelectAll: (() => Promise<unknown>) | undefined
  onClear(): void
  readonly children: ReactNode
}

/** Shows the number of selected rows and the batch actions. The bar covers the header of the table and stays with it. */
export function BatchBar({ count, total, onSelectAll, onClear, children }: BarProps) {
  const [busy, setBusy] = useState(false)
  const selectAll = async () => {
    setBusy(true)
    // The call has shown its error.
    await onSelectAll?.().catch(() => {})
    setBusy(false)
  }
  return (
    <div className="kit-batch-place">
      <div className="kit-batch" role="status">
        <span className="kit-number">
          已选 <b>{formatCount(count)}</b> / {formatCount(total)}
        </span>
        {onSelectAll && count < total && total <= MAX_SELECTED && (
          <Button type="link" size="small" loading={busy} onClick={selectAll}>
            选择全部 {formatCount(total)} 条
          </Button>
        )}
        {children}
        <Button type="link" size="small" onClick={onClear}>
          取消选择
        </Button>
      </div>
    </div>
  )
}
