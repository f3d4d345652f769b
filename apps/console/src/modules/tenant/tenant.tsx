import { tenant } from '@oms/contract/tenant/tenant.ts'
import { COMPANY_SIZE, TENANT_LEVEL, type TenantRow } from '@oms/contract/tenant/tenant-info.ts'
import { useWrite, useRead } from '#core/api/query.ts'
import { useCan, usePermissions } from '#core/auth/session.tsx'
import { DictLabel, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { switchToTenant } from './enter-tenant.tsx'
import { State } from '#kit/record/state.tsx'

/** Status switch of a tenant. An expired tenant can be enabled only by a renewal. */
export function TenantStatus({ row }: { row: Pick<Tenant, 'id' | 'name' | 'status'> }) {
  const enable = useWrite(tenant.enable)
  const disable = useWrite(tenant.disable)
  const can = useCan()
  if (row.status === 3) return <State color="error">已过期</State>
  return (
    <StatusSwitch
      on={row.status === 1}
      name={row.name}
      reason={can(tenant.enable.access) ? undefined : NO_STATUS_PERMISSION}
      warning="停用后该客户的用户立即退出且不能登录，其设备的请求也会被拒绝，启用后恢复。"
      onChange={(on) => (on ? enable : disable).mutateAsync({ id: row.id })}
    />
  )
}

/** Shows the end date of a tenant, in a warning colour when the date is near. */
export function TenantExpiry({ row }: { row: Pick<Tenant, 'expireTime' | 'daysLeft'> }) {
  const { expireTime, daysLeft } = row
  if (!expireTime || daysLeft === null) return <span>长期</span>
  const day = expireTime.slice(0, 10)
  if (daysLeft <= 0) return <State color="error">{day} 已过期</State>
  if (daysLeft <= 30)
    return (
      <State color={daysLeft <= 7 ? 'error' : 'warning'}>
        {day} 剩 {daysLeft} 天
      </State>
    )
  return <span>{day}</span>
}

/** Shows the used share of a quota. */
export function TenantQuota({ used, limit }: { used: number; limit: number }) {
  const full = limit >= 0 && used >= limit
  return (
    <span className={full ? 'kit-problem' : undefined}>
      {used.toLocaleString()}
      <small className="kit-muted"> / {limit < 0 ? '不限' : limit.toLocaleString()}</small>
    </span>
  )
}

const LEVEL_COLORS = { 1: 'default', 2: 'blue', 3: 'gold' } as const

export const LEVEL_DICT = 'tenant_level'
export const TENANT_SIZE_DICT = 'company_size'

export const TenantLevel = ({ level }: { level: number }) => (
  <DictLabelTag type={LEVEL_DICT} words={TENANT_LEVEL} value={level} color={LEVEL_COLORS[level as 1 | 2 | 3]} />
)
export const CompanySize = ({ size }: { size: number | null }) => (
  <DictLabel type={TENANT_SIZE_DICT} words={COMPANY_SIZE} value={size} />
)

const TenantEditForm = lazyAfterRender(() => import('./tenant-form.tsx'), 'TenantEditForm')
const TenantRenew = lazyAfterRender(() => import('./tenant-dialogs.tsx'), 'TenantRenew')
const JoinCode = lazyAfterRender(() => import('./tenant-dialogs.tsx'), 'JoinCode')

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

export function useSceneChoices() {
  const { data } = useRead(tenant.scenes, {}, { quiet: true })
  return data?.list ?? []
}
