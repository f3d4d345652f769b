import { Drawer } from 'antd'
import { useState } from 'react'
import { RecordHistory } from './record-history.tsx'

interface HistoryDrawerProps {
  /** Display name of the record. */
  name: string
  bizType: string
  bizId: string | number
  onClose(): void
}

/** Drawer with the operation history of a record without its own page or drawer. */
export function HistoryDrawer({ name, bizType, bizId, onClose }: HistoryDrawerProps) {
  const [open, setOpen] = useState(true)
  return (
    <Drawer
      open={open}
      size="min(720px, 100vw)"
      title={`「${name}」的操作记录`}
      onClose={() => setOpen(false)}
      afterOpenChange={(shown) => !shown && onClose()}
    >
      <RecordHistory bizType={bizType} bizId={bizId} />
    </Drawer>
  )
}
