import { Drawer, Modal, Skeleton } from 'antd'
import type { Refusal } from '#kernel/call.ts'
import { LoadFailed } from './table-state.tsx'

interface LoadingProps {
  readonly title: string
  /** The reads waited for; ask them quietly, a failure is told here. */
  readonly reads: readonly { readonly error: Refusal | null; refetch(): unknown }[]
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

/** Grey lines where what is read will stand; a failure in words, with another try. */
export function Waiting({ reads, rows = 8 }: Pick<LoadingProps, 'reads'> & { rows?: number }) {
  const failed = reads.filter(({ error }) => error !== null)
  const refusal = failed[0]?.error
  if (!refusal) return <Skeleton active title={rows > 4} paragraph={{ rows }} />
  return <LoadFailed refusal={refusal} onRetry={() => failed.map(({ refetch }) => refetch())} />
}
