import { tenant } from '@oms/contract/tenant/tenant.ts'
import { Button, Modal, Popconfirm, Switch } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import type { Tenant } from './use-tenant-actions.tsx'
import './tenant.css'

/** Shows the join code of a tenant. The code can be replaced and disabled. */
export function JoinCode({ row, onClose }: { row: Tenant; onClose(): void }) {
  const [now, setNow] = useState({ joinCode: row.joinCode, allowApply: row.allowApply })
  // Two mutations, so that each button works while the request of the other button is pending.
  const renewing = useWrite(tenant.joinCode)
  const allowing = useWrite(tenant.joinCode)
  const renew = async () => {
    const { joinCode } = await renewing.mutateAsync({ id: row.id })
    setNow((before) => ({ ...before, joinCode }))
  }
  const allow = async (on: boolean) => {
    const { allowApply } = await allowing.mutateAsync({ id: row.id, allowApply: on ? 1 : 0 })
    setNow((before) => ({ ...before, allowApply }))
  }
  return (
    <Modal open title={`加入码 ${row.name}`} onCancel={onClose} footer={<Button onClick={onClose}>关闭</Button>}>
      <p>新用户注册后，用加入码申请加入该客户，审批通过后即可使用。</p>
      <div className="kit-row tenant-code">
        <strong>
          <CopyText text={now.joinCode || '-'} />
        </strong>
        <RenewButton loading={renewing.isPending} onRenew={renew} />
      </div>
      <p className="kit-row tenant-code">
        <Switch
          className="kit-switch"
          aria-label="接受加入申请"
          checked={now.allowApply === 1}
          loading={allowing.isPending}
          checkedChildren="接受"
          unCheckedChildren="不接受"
          onChange={(on) => void allow(on).catch(() => {})}
        />
        <span>接受加入申请</span>
      </p>
    </Modal>
  )
}

function RenewButton({ loading, onRenew }: { loading: boolean; onRenew(): Promise<void> }) {
  return (
    <Popconfirm
      title="更换后原加入码立即失效，确定更换？"
      okText="更换"
      cancelText="取消"
      onConfirm={() => onRenew().catch(() => {})}
    >
      <Button size="small" loading={loading}>
        更换加入码
      </Button>
    </Popconfirm>
  )
}
