import { PlusOutlined } from '@ant-design/icons'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { AppKeyRow, appKeys } from '@oms/contract/storage/app-key.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const AppKeyForm = lazyAfterRender(() => import('./hook-dialogs.tsx'), 'AppKeyForm')

type Secret = ResultOf<typeof appKeys.create>
const QUERY = appKeys.list.input
const { col, actions } = createColumns(AppKeyRow)
const COLUMNS = [
  col('keyName', { width: 160 }),
  col('keyId', { width: 220 }),
  col('tenantName', { width: 180 }),
  col('origins', (_, { origins }) => origins.join('、') || '-', { width: 220 }),
  col('status', (_, row) => <KeyStatus row={row} />, { width: 90 }),
  col('createTime', time, { width: 160, sort: true, hidden: true }),
  col('updateTime', time, { width: 160, sort: true }),
]

const KeyStatus = ({ row }: { row: AppKeyRow }) => (
  <EnableSwitch
    calls={appKeys}
    id={row.id}
    on={row.status === 1}
    name={row.keyName}
    warning="停用后，使用该密钥的 App 会话立即失效。"
  />
)

/** Keys with which the back ends of Apps open playback sessions for their users. */
export function AppKeyList() {
  const list = useList(appKeys.list)
  const [edited, setEdited] = useState<AppKeyRow | 'new'>()
  const [secret, setSecret] = useState<Secret>()
  const add = (
    <Allowed to={appKeys.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
        新增密钥
      </Button>
    </Allowed>
  )
  const rowActions = useKeyActions(setEdited, setSecret)
  return (
    <>
      <AppKeySearch {...list.search} />
      <DataTable
        {...list.table}
        name="appKeys"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130)]}
        actions={add}
        empty={{ text: '还没有App密钥', hint: 'App 的后台用密钥为用户申请回放会话。', action: add }}
      />
      {edited && <AppKeyForm row={edited} onSecret={setSecret} onClose={() => setEdited(undefined)} />}
      {secret && (
        <OneTimeSecret
          title="App密钥"
          owner="密钥编号"
          account={secret.keyId}
          label="密钥"
          secret={secret.secret}
          hint="请把密钥保存到 App 的后台，不要放进 App 本身。"
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}

function useKeyActions(onEdit: (row: AppKeyRow) => void, onSecret: (secret: Secret) => void) {
  const rotate = useWrite(appKeys.rotate)
  const remove = useWrite(appKeys.remove)
  return (row: AppKeyRow) => (
    <RowActions
      items={[
        { label: '编辑', to: appKeys.update, onClick: () => onEdit(row) },
        {
          label: '更换',
          to: appKeys.rotate,
          confirm: `更换「${row.keyName}」的密钥？旧密钥立即失效，已打开的会话和播放地址同时失效。`,
          onClick: () =>
            rotate.mutateAsync({ id: row.id }).then(
              (made) => onSecret(made),
              () => {},
            ),
        },
        {
          label: '删除',
          to: appKeys.remove,
          danger: true,
          confirm: `删除「${row.keyName}」？使用该密钥的 App 会话立即失效。`,
          onClick: () => remove.mutateAsync({ id: row.id }).catch(() => {}),
        },
      ]}
    />
  )
}

function AppKeySearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="keyName" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <SelectFilter of={QUERY} name="status" />
    </SearchForm>
  )
}
