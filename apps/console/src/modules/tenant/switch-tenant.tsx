import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { Button, Empty, Input, Modal } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { usePermissions } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { normalizeKeyword } from '#kit/list/use-keyword.ts'
import { switchToTenant } from './enter-tenant.tsx'
import { State } from '#kit/record/state.tsx'
import './tenant.css'

/** Dialog that finds a tenant and switches to it. */
export function SwitchTenant({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const keyword = useDeferredValue(normalizeKeyword(text))
  const read = useRead(tenant.switchable, { keyword }, { quiet: true, staleTime: 0 })
  const { data } = read
  const { switchedTenant } = usePermissions()
  const [going, setGoing] = useState<number>()
  const go = (id: number) => {
    setGoing(id)
    const stay = () => setGoing(undefined)
    switchToTenant(id).then((moved) => moved || stay(), stay)
  }
  return (
    <Modal open title="切换客户" footer={null} onCancel={onClose}>
      <p>进入后看到和新增的都是该客户的数据，操作会记入日志。</p>
      <Input.Search
        autoFocus
        allowClear
        aria-label="客户名称或客户编号"
        placeholder="客户名称或客户编号"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {!data && <Waiting reads={[read]} rows={4} />}
      {data?.list.length === 0 && <Empty description="没有找到客户" />}
      <ul className="kit-items tenant-choices">
        {data?.list.map((choice) => (
          <TenantChoice
            key={choice.id}
            choice={choice}
            isGoing={going === choice.id}
            isCurrent={switchedTenant?.id === choice.id}
            onGo={go}
          />
        ))}
      </ul>
    </Modal>
  )
}

interface TenantChoiceProps {
  readonly choice: ResultOf<typeof tenant.switchable>['list'][number]
  readonly isGoing: boolean
  readonly isCurrent: boolean
  onGo(id: number): void
}

function TenantChoice({ choice: { id, name, tenantNo, status }, isGoing, isCurrent, onGo }: TenantChoiceProps) {
  return (
    <li className="kit-row">
      <span className="kit-main">
        <strong>{name}</strong>
        <small className="kit-ellipsis">{tenantNo}</small>
      </span>
      {status !== 1 && <State>已停用</State>}
      <Button size="small" loading={isGoing} disabled={isCurrent} aria-label={`进入 ${name}`} onClick={() => onGo(id)}>
        {isCurrent ? '当前' : '进入'}
      </Button>
    </li>
  )
}
