import { Modal } from 'antd'
import { BatchMenu } from './batch-menu.tsx'

/** Everything that can be done to all devices of a pasted list at once, not only to those of a page. */
export function BatchAll({ ids, onClose }: { ids: readonly number[]; onClose(): void }) {
  return (
    <Modal open title={`批量操作 ${ids.length} 台设备`} footer={null} onCancel={onClose}>
      <p className="device-hint">对按序列号找到的全部设备执行，不限于当前页。</p>
      <BatchMenu ids={ids} label="选择操作" onDone={onClose} />
    </Modal>
  )
}
