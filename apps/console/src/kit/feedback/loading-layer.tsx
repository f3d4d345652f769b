import { Drawer, Modal } from 'antd'
import { type PendingReads, Waiting } from './waiting.tsx'

interface LoadingProps {
  readonly title: string
  readonly reads: PendingReads
  onClose(): void
}

/** Placeholder drawer while a form's record loads; shows the error when loading fails. */
export const LoadingDrawer = ({ title, reads, onClose }: LoadingProps) => (
  <Drawer open rootClassName="kit-loading" size="min(720px, 100vw)" title={title} onClose={onClose}>
    <Waiting reads={reads} />
  </Drawer>
)

/** Placeholder dialog while a form's record loads. */
export const LoadingModal = ({ title, reads, onClose }: LoadingProps) => (
  <Modal open rootClassName="kit-loading" title={title} footer={null} onCancel={onClose}>
    <Waiting reads={reads} />
  </Modal>
)
