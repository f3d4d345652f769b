import { SceneTenant, scene } from '@oms/contract/tenant/scene.ts'
import { Drawer, Tabs } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import type { Scene } from './scene-list.page.tsx'

type Tenant = z.output<typeof SceneTenant>
const { col, actions } = createColumns(SceneTenant)
const COLUMNS = [
  col('name', { width: 200 }),
  col('tenantNo', { width: 120 }),
  col('accountCount', { width: 90, align: 'right' }),
  col('status', (status) => <EnabledTag on={status === 1} />, { width: 80 }),
]

/** Manages the tenants of a scene in two lists: tenants with the scene and tenants without the scene. */
export function SceneTenants({ scene: row, onClose }: { scene: Scene; onClose(): void }) {
  const [side, setSide] = useState('in')
  const maySync = useCan()(scene.sync.access)
  const tabs = [
    { key: 'in', label: '使用中的客户', children: <Tenants scene={row} inside /> },
    ...(maySync ? [{ key: 'out', label: '添加客户', children: <Tenants scene={row} inside={false} /> }] : []),
  ]
  return (
    <Drawer open size="min(860px, 100vw)" title={`「${row.sceneName}」的客户`} onClose={onClose}>
      <Tabs activeKey={side} onChange={setSide} items={tabs} destroyOnHidden />
    </Drawer>
  )
}

function confirmRemoval(tenants: readonly Tenant[], sceneName: string) {
  const accounts = tenants.reduce((sum, { accountCount }) => sum + accountCount, 0)
  return {
    title: `移除 ${tenants.length} 个客户？`,
    content: `这些客户不再使用场景「${sceneName}」，其 ${accounts} 个账号立即失去只由该场景提供的权限。`,
    okText: '移除',
    danger: true,
  } as const
}

/** Returns a function that adds tenants to the scene or removes tenants from the scene. */
function useChange(id: number, inside: boolean) {
  const sync = useWrite(scene.sync)
  return (tenants: readonly Tenant[]) => {
    const ids = tenants.map((tenant) => tenant.id)
    return sync.mutateAsync({ id, ...(inside ? { removeIds: ids } : { tenantIds: ids }) })
  }
}

interface BatchProps {
  readonly sceneName: string
  readonly inside: boolean
  readonly picked: Picked<Tenant>
  onChange(tenants: readonly Tenant[]): Promise<unknown>
}

const TenantsBatch = ({ sceneName, inside, picked, onChange }: BatchProps) => (
  <BatchCallButton
    label={inside ? '移除所选客户' : '添加所选客户'}
    to={scene.sync}
    picked={picked}
    onCall={onChange}
    confirm={inside ? confirmRemoval(picked.rows, sceneName) : undefined}
  />
)

function Tenants({ scene: { id, sceneName }, inside }: { scene: Scene; inside: boolean }) {
  const list = useInnerList(scene.tenants, { id, inScene: inside ? 1 : 0 })
  const change = useChange(id, inside)
  const verb = inside ? '移除' : '添加'
  const rowActions = (tenant: Tenant) => (
    <RowActions
      items={[
        {
          label: verb,
          to: scene.sync,
          ...(inside && {
            danger: true,
            confirm: `不再让「${tenant.name}」使用场景「${sceneName}」？其 ${tenant.accountCount} 个账号立即失去只由该场景提供的权限。`,
          }),
          onClick: () => change([tenant]).catch(() => {}),
        },
      ]}
    />
  )
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={SceneTenant} name="name" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="id"
        name={inside ? 'using' : 'others'}
        columns={[...COLUMNS, actions(rowActions, 90, [scene.sync])]}
        batch={(picked) => <TenantsBatch sceneName={sceneName} inside={inside} picked={picked} onChange={change} />}
        empty={{ text: inside ? '还没有客户使用该场景' : '没有可添加的客户' }}
      />
    </>
  )
}
