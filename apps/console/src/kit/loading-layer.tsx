import { Drawer, Modal } from 'antd'
import { type Reads, Waiting } from './waiting.tsx'

interface LoadingProps {
  readonly title: string
  readonly reads: Reads
  onClose(): void
}

/** Where a form's drawer will be while its record is on its way; says so when it does not come. */
export const LoadingDrawer = ({ title, reads, onClose }: LoadingProps) => (
  <Drawer open rootClassName="kit-loading" size="min(720px, 100vw)" title={title} onClose={onClose}>
    <Waiting reads={reads} />
  </Drawer>
)

/** The same where a form's dialog will be. */
export const LoadingModal = ({ title, reads, onClose }: LoadingProps) => (
  <Modal open rootClassName="kit-loading" title={title} footer={null} onCancel={onClose}>
    <Waiting reads={reads} />
  </Modal>
)
