import { Button } from 'antd'
import type { ReactNode } from 'react'
import '#kit/kit.css'

/** Shows the number of selected rows and the batch actions. */
export function BatchBar({ count, onClear, children }: { count: number; onClear(): void; children: ReactNode }) {
  return (
    <div className="kit-batch" role="status">
      <span>
        已选 <b>{count}</b> 项
      </span>
      {children}
      <Button type="link" size="small" onClick={onClear}>
        取消选择
      </Button>
    </div>
  )
}
