import { DownOutlined } from '@ant-design/icons'
import { devices } from '@oms/contract/device/device-info.ts'
import { Button, Dropdown, Alert } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite, useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const TagDialog = lazyAfterRender(() => import('./device-forms.tsx'), 'TagDialog')
const MoveDialog = lazyAfterRender(() => import('./device-forms.tsx'), 'MoveDialog')
const TransferDialog = lazyAfterRender(() => import('./device-forms.tsx'), 'TransferDialog')
const TokensDialog = lazyAfterRender(() => import('./device-forms.tsx'), 'TokensDialog')

const WORK = [
  { key: 'tag', label: '修改标签', to: devices.tag, Dialog: TagDialog },
  { key: 'move', label: '移动分组', to: devices.move, Dialog: MoveDialog },
  { key: 'transfer', label: '转移客户', to: devices.transfer, Dialog: TransferDialog },
  { key: 'tokens', label: '批量生成令牌', to: devices.tokens, Dialog: TokensDialog },
] as const

/** Batch actions on devices: tags, groups, tenant, tokens, commands. */
export function BatchMenu({ ids, label, onDone }: { ids: readonly number[]; label: string; onDone(): void }) {
  const [open, setOpen] = useState<string>()
  const command = useWrite(devices.command)
  const can = useCan()
  const many = useHasManyTenants()
  const offered = WORK.filter(({ key, to }) => can(to.access) && (key !== 'transfer' || many))
  const items: { key: string; label: string }[] = offered.map(({ key, label: name }) => ({ key, label: name }))
  if (can(devices.command.access)) items.push({ key: 'command', label: '重新读取属性' })
  if (items.length === 0) return null
  const run = (key: string) => {
    if (key !== 'command') return setOpen(key)
    command.mutateAsync({ ids: [...ids] }).then(onDone, () => {})
  }
  const Dialog = WORK.find(({ key }) => key === open)?.Dialog
  return (
    <>
      <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => run(key) }}>
        <Button size="small" icon={<DownOutlined />} iconPlacement="end">
          {label}
        </Button>
      </Dropdown>
      {Dialog && <Dialog ids={ids} onClose={() => setOpen(undefined)} onDone={onDone} />}
    </>
  )
}

const MissingSerials = lazyAfterRender(() => import('./device-forms.tsx'), 'MissingSerials')

interface FoundProps {
  readonly sns: readonly string[]
  /** Shares the query of the list, so that one request serves both. */
  readonly asked: object
  onEdit(): void
  onClear(): void
}

/** Shows how many of the pasted serial numbers were found, and which are missing. */
export function FoundSerials({ sns, asked, onEdit, onClear }: FoundProps) {
  const [shown, setShown] = useState(false)
  const { data } = useRead(devices.find, { ...asked, sns: [...sns] } as never)
  if (!data) return null
  const { total, missing, ids } = data
  const known = sns.length - missing.length
  return (
    <>
      <Alert
        type={missing.length > 0 ? 'warning' : 'success'}
        showIcon
        title={
          <span className="kit-row">
            按 {sns.length} 个序列号查找：找到 {known} 台{missing.length > 0 && `，${missing.length} 个未找到`}
            {total < known && `，其中 ${total} 台符合其他筛选条件`}
            {missing.length > 0 && (
              <Button size="small" type="link" onClick={() => setShown(true)}>
                查看未找到的
              </Button>
            )}
            {ids.length > 0 && <BatchMenu ids={ids} label={`批量操作全部 ${ids.length} 台`} onDone={() => {}} />}
            <Button size="small" type="link" onClick={onEdit}>
              修改
            </Button>
            <Button size="small" type="link" onClick={onClear}>
              清除
            </Button>
          </span>
        }
      />
      {shown && <MissingSerials missing={missing} onClose={() => setShown(false)} />}
    </>
  )
}
