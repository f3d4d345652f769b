import { tenant } from '@oms/contract/tenant.ts'
import type { TenantRow } from '@oms/contract/tenant-info.ts'
import { useState } from 'react'
import type * as z from 'zod'
import { later } from '#kernel/later.tsx'
import { useWrite } from '#kernel/query.ts'
import { usePermissions } from '#kernel/session.tsx'
import type { RowAction } from '#kit/row-actions.tsx'
import { enterTenant } from './visit.ts'

const TenantEdit = later(() => import('./tenant-form.tsx'), 'TenantEdit')
const TenantRenew = later(() => import('./tenant-renew.tsx'), 'TenantRenew')
const JoinCode = later(() => import('./join-code.tsx'), 'JoinCode')

export type Tenant = z.output<typeof TenantRow>
type Open = { readonly what: 'edit' | 'renew' | 'code'; readonly row: Tenant }

/** What can be done to one customer, and the dialogs it takes. */
export function useTenantActions(onGone?: () => void) {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const remove = useWrite(tenant.remove)
  const { visiting } = usePermissions()
  const actionsOf = (row: Tenant): readonly (RowAction | false)[] => [
    { label: '编辑', to: tenant.update, onClick: () => setOpen({ what: 'edit', row }) },
    { label: '续期', to: tenant.renew, onClick: () => setOpen({ what: 'renew', row }) },
    { label: '加入码', to: tenant.joinCode, onClick: () => setOpen({ what: 'code', row }) },
    visiting?.id !== row.id && {
      label: '进入客户',
      to: tenant.switchTo,
      confirm: `进入「${row.name}」工作？之后看到和新建的都是该客户的数据，操作会记入日志。`,
      onClick: () => enterTenant(row.id),
    },
    {
      label: '删除',
      to: tenant.remove,
      danger: true,
      confirm: `删除客户「${row.name}」？有设备、用户或授权的客户不能删除。删除后不能恢复。`,
      onClick: async () => {
        await remove.mutateAsync({ id: row.id })
        onGone?.()
      },
    },
  ]
  const dialog = open && (
    <>
      {open.what === 'edit' && <TenantEdit id={open.row.id} onClose={close} />}
      {open.what === 'renew' && <TenantRenew row={open.row} onClose={close} />}
      {open.what === 'code' && <JoinCode row={open.row} onClose={close} />}
    </>
  )
  return { actionsOf, dialog }
}
