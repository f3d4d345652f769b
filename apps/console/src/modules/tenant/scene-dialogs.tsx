import { SCENE_COVER, SceneInput, scene, SCENE_STATUS, SceneRow, SceneTenant } from '@oms/contract/tenant/scene.ts'
import { Drawer, Form, Tabs } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { LoadingDrawer } from '#kit/feedback/loading-layer.tsx'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { ImageUpload, ImageList } from '#kit/upload/image-upload.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import type { Scene } from './scene-list.page.tsx'
import { useState } from 'react'
import { useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { State } from '#kit/record/state.tsx'

type Detail = z.output<(typeof scene.get)['result']>
type Tree = z.output<(typeof scene.permTree)['result']>['menus']
type AddProps = Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>

/** Form that creates a scene. A select of scenes passes `onCreated` to receive the new scene. */
export function SceneAddForm({ onClose, onCreated }: AddProps) {
  const tree = useRead(scene.permTree, {}, { quiet: true })
  if (!tree.data) return <LoadingDrawer title="新增业务场景" reads={[tree]} onClose={onClose} />
  return <AddForm tree={tree.data.menus} onClose={onClose} {...(onCreated && { onCreated })} />
}

function AddForm({ tree, onClose, onCreated }: AddProps & { tree: Tree }) {
  const { drawer, footer, form } = useFormDrawer(scene.create, {
    onClose,
    onSaved: ({ id }, { sceneName }) => onCreated?.({ id, name: sceneName }),
    initial: { sort: 0, isDefault: 0 },
  })
  return (
    <Drawer {...drawer} title="新增业务场景" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields tree={tree} />
      </Form>
    </Drawer>
  )
}

/** Form that edits a scene. */
export function SceneEditForm({ id, onClose }: { id: number; onClose(): void }) {
  const tree = useRead(scene.permTree, {}, { quiet: true })
  const menus = tree.data?.menus
  if (!menus) return <LoadingDrawer title="编辑业务场景" reads={[tree]} onClose={onClose} />
  return (
    <FreshRecord
      of={id}
      read={() => call(scene.get, { id }, { quiet: true })}
      layer="drawer"
      title="编辑业务场景"
      onClose={onClose}
    >
      {(loaded) => <EditForm loaded={loaded} tree={menus} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ loaded, tree, onClose }: { loaded: Detail; tree: Tree; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(scene.update, {
    onClose,
    initial: loaded,
    latest: () => call(scene.get, { id: loaded.id }),
  })
  const effect = loaded.tenantCount > 0 && `保存后立即对 ${loaded.tenantCount} 个客户生效`
  return (
    <Drawer
      {...drawer}
      title={`编辑业务场景「${loaded.sceneName}」`}
      footer={<FormFooter {...footer}>{effect}</FormFooter>}
    >
      <Form {...form}>
        <Fields tree={tree} />
      </Form>
    </Drawer>
  )
}

function Fields({ tree }: { tree: Tree }) {
  return (
    <>
      <TextField of={SceneInput} name="sceneName" />
      <TextField of={SceneInput} name="sceneCode" />
      <NoteField of={SceneInput} name="description" rows={2} />
      <Field of={SceneInput} name="cover">
        <ImageUpload rule={SCENE_COVER} />
      </Field>
      <div className="kit-pair">
        <NumberField of={SceneInput} name="sort" />
        <SwitchField of={SceneInput} name="isDefault" on="默认" off="不默认" hint="新客户自动使用默认场景" />
      </div>
      <Form.Item name="menuIds" label="菜单权限">
        <GrantTree menus={tree} height={420} label="菜单权限" />
      </Form.Item>
      <NoteField of={SceneInput} name="remark" rows={2} />
    </>
  )
}

const { item, wide } = createDescriptions(SceneRow)
const ITEMS = [
  item('sceneName'),
  item('sceneCode'),
  item('status', (status) => (
    <State color={status === 1 ? 'success' : 'default'}>{SCENE_STATUS[status as keyof typeof SCENE_STATUS]}</State>
  )),
  item('isDefault'),
  item('tenantCount'),
  item('menuCount'),
  item('createTime', time),
  item('updateTime', time),
  wide('description'),
  wide('cover', (cover) => (cover ? <ImageList value={cover} /> : null)),
  wide('remark'),
]

/** Shows one scene in a drawer: its fields and its operation history. */
export const SceneDrawer = (props: RecordNavigation<Scene>) => (
  <RecordDrawer {...props} rowKey="id" bizType="scene" title={({ sceneName }) => `业务场景「${sceneName}」`}>
    {(row) => <Descriptions row={row} items={ITEMS} />}
  </RecordDrawer>
)

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
