import { AppstoreOutlined, PlusOutlined } from '@ant-design/icons'
import { SceneRow, scene } from '@oms/contract/scene/scene.ts'
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
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { NameWithThumbnail } from '#kit/record/thumbnail.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { SceneStatus } from './scene-status.tsx'
import { useSceneActions } from './use-scene-actions.ts'
import './scene.css'

const SceneAddForm = lazyAfterRender(() => import('./scene-form.tsx'), 'SceneAddForm')
const SceneEditForm = lazyAfterRender(() => import('./scene-form.tsx'), 'SceneEditForm')
const SceneDrawer = lazyAfterRender(() => import('./scene-drawer.tsx'), 'SceneDrawer', {
  when: ({ row }) => row !== undefined,
})
const SceneTenants = lazyAfterRender(() => import('./scene-tenants.tsx'), 'SceneTenants')

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
        columns={[...COLUMNS, actions((row) => <RowActions items={actionsOf(row)} />, 200)]}
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
