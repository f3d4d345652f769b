import { tenant } from '@oms/contract/tenant/tenant.ts'
import type { TenantRow } from '@oms/contract/tenant/tenant-info.ts'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import { usePermissions } from '#core/auth/session.tsx'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { switchToTenant } from './enter-tenant.ts'

const TenantEditForm = lazyAfterRender(() => import('./tenant-form.tsx'), 'TenantEditForm')
const TenantRenew = lazyAfterRender(() => import('./tenant-renew.tsx'), 'TenantRenew')
const JoinCode = lazyAfterRender(() => import('./join-code.tsx'), 'JoinCode')

export type Tenant = z.output<typeof TenantRow>
type OpenLayer = { readonly what: 'edit' | 'renew' | 'code'; readonly row: Tenant }

/** Calls of the row actions of a tenant. */
export const TENANT_ACTION_CALLS = [tenant.update, tenant.renew, tenant.joinCode, tenant.switchTo, tenant.remove]

/** Returns the row actions of a tenant and their dialogs. */
export function useTenantActions(onGone?: () => void) {
  const [open, setOpen] = useState<OpenLayer>()
  const close = () => setOpen(undefined)
  const remove = useWrite(tenant.remove)
  const { switchedTenant } = usePermissions()
  const actionsOf = (row: Tenant): readonly (RowAction | false)[] => [
    { label: '编辑', to: tenant.update, onClick: () => setOpen({ what: 'edit', row }) },
    { label: '续期', to: tenant.renew, onClick: () => setOpen({ what: 'renew', row }) },
    { label: '加入码', to: tenant.joinCode, onClick: () => setOpen({ what: 'code', row }) },
    switchedTenant?.id !== row.id && {
      label: '进入客户',
      to: tenant.switchTo,
      confirm: `进入「${row.name}」工作？之后看到和新增的都是该客户的数据，操作会记入日志。`,
      onClick: async () => void (await switchToTenant(row.id)),
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
      {open.what === 'edit' && <TenantEditForm id={open.row.id} onClose={close} />}
      {open.what === 'renew' && <TenantRenew row={open.row} onClose={close} />}
      {open.what === 'code' && <JoinCode row={open.row} onClose={close} />}
    </>
  )
  return { actionsOf, dialog }
}
