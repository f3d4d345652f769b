import { appKeys } from '@oms/contract/storage/app-key.ts'
import { storageHooks, HOOK_STATUS, HookRow } from '@oms/contract/storage/hook.ts'
import { AppKeyList } from './app-key-list.tsx'
import { EventList } from './event-list.tsx'
import { ListSwitch, type ListPanelProps } from './list-switch.tsx'
import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { accessToRow, Allowed, useSession } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { State } from '#kit/record/state.tsx'

const LISTS = [
  { value: 'hooks', label: '商城回调', to: storageHooks.list, panel: HookList },
  { value: 'events', label: '回调记录', to: storageHooks.list, panel: EventList },
  { value: 'appKeys', label: 'App密钥', to: appKeys.list, panel: AppKeyList },
]

/** Webhooks of shops with the events they sent, and the keys of Apps. */
export const HookTab = () => <ListSwitch lists={LISTS} />

const HookForm = lazyAfterRender(() => import('./hook-dialogs.tsx'), 'HookForm')
const HookDrawer = lazyAfterRender(() => import('./hook-dialogs.tsx'), 'HookDrawer', {
  when: ({ row }) => row !== undefined,
})

/** Address to which the shop sends its events. */
export const formatHookAddress = (id: number) => `${location.origin}/api/v1/oss/hook/${id}`

const QUERY = storageHooks.list.input
const { col, actions } = createColumns(HookRow)
const columnsFor = (onRefused: (row: HookRow) => void) => [
  col('hookName', { width: 130 }),
  { ...col('id', (id) => <CopyText text={formatHookAddress(id)} />, { width: 230 }), title: '回调地址' },
  col('tenantName', { width: 140, hidden: true }),
  col('priceFree', { width: 130 }),
  col(
    'status',
    (status) => (
      <State color={status === 1 ? 'success' : 'default'}>{HOOK_STATUS[status as keyof typeof HOOK_STATUS]}</State>
    ),
    { width: 80 },
  ),
  col('refusedEvents', (count, row) => <RefusedEvents count={count} onOpen={() => onRefused(row)} />, {
    width: 80,
    align: 'right',
  }),
  col('lastEventTime', time, { width: 150 }),
  col('rotateTime', time, { width: 160, hidden: true }),
  col('remark', { width: 160, hidden: true }),
]
interface Secret {
  readonly name: string
  readonly secret: string
}

/** Webhooks of shops. A secret is shown once: after the creation and after a rotation. */
function HookList({ onOpen }: Pick<ListPanelProps, 'onOpen'>) {
  const list = useList(storageHooks.list)
  const [edited, setEdited] = useState<HookRow | 'new'>()
  const [shown, setShown] = useState<HookRow>()
  const [secret, setSecret] = useState<Secret>()
  const rotate = useWrite(storageHooks.rotate)
  // Only staff of the vendor creates and edits webhooks, because a secret can sign paid orders.
  const isVendor = useSession()?.ownerId === '1'
  const columns = columnsFor(({ id }) => onOpen('events', `hookId=${id}&result=2`))
  const add = isVendor && <AddButton onAdd={() => setEdited('new')} />
  const onRotate = async ({ id, hookName }: HookRow) =>
    setSecret({ name: hookName, secret: (await rotate.mutateAsync({ id })).secret })
  const rowActions = (row: HookRow) => (
    <Actions row={row} isVendor={isVendor} onShow={setShown} onEdit={setEdited} onRotate={onRotate} />
  )
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="hookName" />
        <SelectFilter of={QUERY} name="status" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="hooks"
        rowKey="id"
        columns={[...columns, actions(rowActions, 130)]}
        actions={add}
        empty={{ text: '还没有商城回调', hint: '新增后把回调地址和密钥配置到商城，订单即可自动开通。', action: add }}
        onOpen={setShown}
      />
      <HookDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {edited && <HookForm row={edited} onClose={() => setEdited(undefined)} onSecret={setSecret} />}
      {secret && <SecretDialog {...secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

/** Number of refused events; opens the list of these events. */
function RefusedEvents({ count, onOpen }: { readonly count: number; onOpen(): void }) {
  if (count === 0) return <>0</>
  return (
    <Button type="link" size="small" aria-label={`查看 ${count} 条未通过的回调`} onClick={onOpen}>
      {count}
    </Button>
  )
}

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={storageHooks.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增商城
    </Button>
  </Allowed>
)

interface ActionsProps {
  readonly row: HookRow
  readonly isVendor: boolean
  onShow(row: HookRow): void
  onEdit(row: HookRow): void
  onRotate(row: HookRow): unknown
}

const Actions = ({ row, isVendor, onShow, onEdit, onRotate }: ActionsProps) => (
  <RowActions
    items={[
      { label: '详情', to: storageHooks.get, onClick: () => onShow(row) },
      isVendor && { label: '编辑', to: accessToRow(storageHooks.update, row.isShared), onClick: () => onEdit(row) },
      isVendor && {
        label: '更换密钥',
        to: accessToRow(storageHooks.rotate, row.isShared),
        confirm: `为「${row.hookName}」生成新密钥？现在的密钥继续有效，直到下一次更换。`,
        onClick: () => onRotate(row),
      },
    ]}
  />
)

const SecretDialog = ({ name, secret, onClose }: Secret & { onClose: () => void }) => (
  <OneTimeSecret
    title="回调密钥"
    owner="商城"
    account={name}
    label="密钥"
    secret={secret}
    hint="商城用该密钥对回调签名；遗失后请更换密钥。"
    onClose={onClose}
  />
)
