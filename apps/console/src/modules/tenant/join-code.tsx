import { tenant } from '@oms/contract/tenant.ts'
import { Button, Modal, Popconfirm, Switch } from 'antd'
import { useState } from 'react'
import { useWrite } from '#kernel/query.ts'
import { CopyText } from '#kit/copy-text.tsx'
import type { Tenant } from './use-tenant-actions.tsx'
import './tenant.css'

/** The code newcomers ask to join with: shown, changed, switched off. */
export function JoinCode({ row, onClose }: { row: Tenant; onClose(): void }) {
  const [now, setNow] = useState({ joinCode: row.joinCode, allowApply: row.allowApply })
  const write = useWrite(tenant.joinCode)
  const change = async (allowApply?: 0 | 1) =>
    setNow(await write.mutateAsync({ id: row.id, ...(allowApply !== undefined && { allowApply }) }))
  return (
    <Modal open title={`加入码 ${row.name}`} onCancel={onClose} footer={<Button onClick={onClose}>关闭</Button>}>
      <p>新用户注册后，用加入码申请加入该客户，审核通过后即可使用。</p>
      <div className="tenant-code">
        <strong>
          <CopyText text={now.joinCode || '-'} />
        </strong>
        <Popconfirm
          title="更换后原加入码立即失效，确定更换？"
          okText="更换"
          cancelText="取消"
          onConfirm={() => change().catch(() => {})}
        >
          <Button size="small" loading={write.isPending}>
            更换加入码
          </Button>
        </Popconfirm>
      </div>
      <p className="tenant-code">
        <Switch
          className="kit-switch"
          aria-label="接受加入申请"
          checked={now.allowApply === 1}
          loading={write.isPending}
          checkedChildren="接受"
          unCheckedChildren="不接受"
          onChange={(on) => void change(on ? 1 : 0).catch(() => {})}
        />
        <span>接受加入申请</span>
      </p>
    </Modal>
  )
}
