import { DownOutlined } from '@ant-design/icons'
import { devices } from '@oms/contract/device/device-info.ts'
import { Button, Dropdown } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const TagDialog = lazyAfterRender(() => import('./batch-dialogs.tsx'), 'TagDialog')
const MoveDialog = lazyAfterRender(() => import('./batch-dialogs.tsx'), 'MoveDialog')
const TransferDialog = lazyAfterRender(() => import('./batch-dialogs.tsx'), 'TransferDialog')
const TokensDialog = lazyAfterRender(() => import('./batch-dialogs.tsx'), 'TokensDialog')

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
