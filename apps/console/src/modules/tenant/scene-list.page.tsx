import { AppstoreOutlined, PlusOutlined } from '@ant-design/icons'
import { SceneRow, scene } from '@oms/contract/tenant/scene.ts'
import { Button, Tag } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions, type RowAction } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { NameWithThumbnail } from '#kit/record/thumbnail.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { useWrite } from '#core/api/query.ts'

/** Enables or disables a scene. */
const SceneStatus = ({ scene: { id, sceneName, status, tenantCount } }: { scene: Scene }) => (
  <EnableSwitch
    calls={scene}
    id={id}
    on={status === 1}
    name={sceneName}
    warning={
      tenantCount > 0 ? `停用后，${tenantCount} 个客户立即失去只由该场景提供的权限。` : '停用后，该场景不再提供权限。'
    }
  />
)

const SceneAddForm = lazyAfterRender(() => import('./scene-dialogs.tsx'), 'SceneAddForm')
const SceneEditForm = lazyAfterRender(() => import('./scene-dialogs.tsx'), 'SceneEditForm')
const SceneDrawer = lazyAfterRender(() => import('./scene-dialogs.tsx'), 'SceneDrawer', {
  when: ({ row }) => row !== undefined,
})
const SceneTenants = lazyAfterRender(() => import('./scene-dialogs.tsx'), 'SceneTenants')

export type Scene = z.output<typeof SceneRow>
/** The dialog that is open above the list. At most one dialog is open. */
export type SceneDialogState = { readonly what: 'add' } | { readonly what: 'edit' | 'tenants'; readonly scene: Scene }

const { col, actions } = createColumns(SceneRow)
const QUERY = scene.list.input
const COLUMNS = [
  col('sceneName', (_, row) => <SceneName row={row} />, { width: 190 }),
  col('sceneCode', { width: 140 }),
  col('status', (_, row) => <SceneStatus scene={row} />, { width: 100 }),
  col('description', { width: 140 }),
  col('menuCount', { width: 80, align: 'right' }),
  col('tenantCount', { width: 100, align: 'right' }),
  col('sort', { width: 80, align: 'right', sort: true }),
  col('remark', { width: 160, hidden: true }),
  col('createTime', time, { width: 180, sort: true, hidden: true }),
  col('updateTime', time, { width: 180, hidden: true }),
]

/** Lists the scenes: sets of menus and buttons that tenants may use. */
export default function SceneListPage() {
  const list = useList(scene.list)
  const [shown, setShown] = useState<SceneDialogState>()
  const [opened, setOpened] = useState<Scene>()
  const actionsOf = useSceneActions(setShown, setOpened)
  const close = () => setShown(undefined)
  const add = <AddButton onAdd={() => setShown({ what: 'add' })} />
  return (
    <Page>
      <Filters {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions((row) => <RowActions items={actionsOf(row)} />, 130)]}
        actions={add}
        empty={{
          text: '还没有业务场景，客户没有场景就没有任何权限',
          hint: '一个场景是一组菜单和按钮，分配给客户后，其账号才能使用。',
          action: add,
        }}
        onOpen={setOpened}
      />
      <SceneDrawer rows={list.table.rows} row={opened} onRow={setOpened} />
      {shown?.what === 'add' && <SceneAddForm onClose={close} />}
      {shown?.what === 'edit' && <SceneEditForm id={shown.scene.id} onClose={close} />}
      {shown?.what === 'tenants' && <SceneTenants scene={shown.scene} onClose={close} />}
    </Page>
  )
}

function Filters(search: SearchProps) {
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="sceneName" />
      <Filter of={QUERY} name="sceneCode" />
      <SelectFilter of={SceneRow} name="status" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

function SceneName({ row: { sceneName, isDefault, cover } }: { row: Scene }) {
  return (
    <NameWithThumbnail name={sceneName} address={cover} icon={<AppstoreOutlined aria-hidden />}>
      {isDefault === 1 && <Tag color="blue">默认</Tag>}
    </NameWithThumbnail>
  )
}

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={scene.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增场景
    </Button>
  </Allowed>
)

/** Returns the row actions of a scene. */
function useSceneActions(onShow: (shown: SceneDialogState) => void, onOpen: (scene: Scene) => void) {
  const remove = useWrite(scene.remove)
  const sync = useWrite(scene.sync)
  return (row: Scene): readonly (RowAction | false)[] => [
    { label: '编辑', to: scene.update, onClick: () => onShow({ what: 'edit', scene: row }) },
    { label: '客户', to: scene.tenants, onClick: () => onShow({ what: 'tenants', scene: row }) },
    { label: '详情', onClick: () => onOpen(row) },
    {
      label: '同步',
      to: scene.sync,
      confirm: `让「${row.sceneName}」的 ${row.tenantCount} 个客户立即按最新内容重新计算权限？`,
      onClick: () => sync.mutateAsync({ id: row.id }),
    },
    {
      label: '删除',
      to: scene.remove,
      danger: true,
      reason: row.tenantCount > 0 ? `${row.tenantCount} 个客户正在使用，不能删除` : undefined,
      confirm: `删除业务场景「${row.sceneName}」？删除后不能恢复。`,
      onClick: () => remove.mutateAsync({ id: row.id }),
    },
  ]
}
