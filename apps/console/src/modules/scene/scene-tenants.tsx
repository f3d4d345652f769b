import { SceneTenant, scene } from '@oms/contract/scene/scene.ts'
import { Drawer, Tabs } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { MoveButton } from '#kit/list/move-button.tsx'
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

function Tenants({ scene: { id, sceneName }, inside }: { scene: Scene; inside: boolean }) {
  const list = useInnerList(scene.tenants, { id, inScene: inside ? 1 : 0 })
  const sync = useWrite(scene.sync)
  const verb = inside ? '移除' : '添加'
  const change = (tenants: readonly Tenant[]) => {
    const ids = tenants.map((tenant) => tenant.id)
    return sync.mutateAsync({ id, ...(inside ? { removeIds: ids } : { tenantIds: ids }) })
  }
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
        batch={(picked) => <MoveButton label={`${verb}所选客户`} to={scene.sync} picked={picked} onMove={change} />}
        empty={{ text: inside ? '还没有客户使用该场景' : '没有可添加的客户' }}
      />
    </>
  )
}
