import { tenant } from '@oms/contract/tenant.ts'
import { Button, Empty, Input, Modal, Tag } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useRead } from '#kernel/query.ts'
import { usePermissions } from '#kernel/session.tsx'
import { keywordOf } from '#kit/use-keyword.ts'
import { Waiting } from '#kit/waiting.tsx'
import { enterTenant } from './visit.ts'
import './tenant.css'

/** Finds a customer and goes to work in it. */
export function SwitchTenant({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const keyword = useDeferredValue(keywordOf(text))
  const read = useRead(tenant.switchable, { keyword }, { quiet: true, staleTime: 0 })
  const { data } = read
  const { visiting } = usePermissions()
  const [going, setGoing] = useState<number>()
  const go = (id: number) => {
    setGoing(id)
    enterTenant(id).catch(() => setGoing(undefined))
  }
  return (
    <Modal open title="切换客户" footer={null} onCancel={onClose}>
      <p>进入后看到和新建的都是该客户的数据，操作会记入日志。</p>
      <Input.Search
        autoFocus
        allowClear
        aria-label="客户名称或客户号"
        placeholder="客户名称或客户号"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {!data && <Waiting reads={[read]} rows={4} />}
      {data?.list.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有找到客户" />}
      <ul className="tenant-rows tenant-choices">
        {data?.list.map(({ id, name, tenantNo, status }) => (
          <li key={id}>
            <span className="tenant-row-main">
              <strong>{name}</strong>
              <small>{tenantNo}</small>
            </span>
            {status !== 1 && <Tag>已停用</Tag>}
            <Button
              size="small"
              loading={going === id}
              disabled={visiting?.id === id}
              aria-label={`进入 ${name}`}
              onClick={() => go(id)}
            >
              {visiting?.id === id ? '当前' : '进入'}
            </Button>
          </li>
        ))}
      </ul>
    </Modal>
  )
}
