import { ListSwitch } from '../list-switch.tsx'
import { PlusOutlined } from '@ant-design/icons'
import { files } from '@oms/contract/system/file.ts'
import {
  CONSENT_STATE,
  ConsentRow,
  OWN_CONSENT_MESSAGE,
  playbackConsents,
  ViewRow,
} from '@oms/contract/storage/consent.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { download } from '#core/api/download.ts'
import { useWrite } from '#core/api/query.ts'
import { Allowed, useSession } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { State } from '#kit/record/state.tsx'

const LISTS = [
  { value: 'consents', label: '查看授权', panel: ConsentList },
  { value: 'views', label: '查看记录', panel: ViewList },
]

/** Lists of consents and of views by staff. */
export const PlaybackPanel = () => <ListSwitch lists={LISTS} />

const ConsentForm = lazyAfterRender(() => import('./playback-dialogs.tsx'), 'ConsentForm')
const ViewDialog = lazyAfterRender(() => import('./playback-dialogs.tsx'), 'ViewDialog')

const QUERY = playbackConsents.list.input
const COLOURS: Readonly<Record<number, string>> = { 1: 'success', 2: 'default', 3: 'error' }
const VALID = 1
const { col, actions } = createColumns(ConsentRow)

/** Link to the document of a written consent. */
const documentLink = (_: unknown, { fileId, fileName }: ConsentRow) =>
  fileId ? (
    <button
      type="button"
      className="kit-link"
      onClick={() => download(files.download, { id: fileId, download: '1' }, fileName)}
    >
      <Ellipsis text={fileName} />
    </button>
  ) : (
    '-'
  )
const stateTag = (_: unknown, { state }: ConsentRow) => (
  <State color={COLOURS[state]}>{CONSENT_STATE[state as keyof typeof CONSENT_STATE]}</State>
)
const COLUMNS = [
  col('sn', { width: 130 }),
  col('tenantName', { width: 120 }),
  col('source', { width: 84 }),
  col('state', stateTag, { width: 76 }),
  col('validUntil', time, { width: 150, sort: true }),
  col('rangeBegin', time, { width: 150 }),
  col('rangeEnd', time, { width: 150 }),
  col('fileName', documentLink, { width: 120 }),
  col('operName', { width: 90 }),
  col('note', { width: 160, hidden: true }),
  col('createTime', time, { width: 160, sort: true, hidden: true }),
]

/** Consents of users to the viewing of their recordings. */
export function ConsentList() {
  const list = useList(playbackConsents.list)
  const [isNew, setNew] = useState(false)
  const [viewed, setViewed] = useState<ConsentRow>()
  const add = (
    <Allowed to={playbackConsents.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setNew(true)}>
        登记授权
      </Button>
    </Allowed>
  )
  const rowActions = useConsentActions(setViewed)
  return (
    <>
      <ConsentSearch {...list.search} />
      <DataTable
        {...list.table}
        name="consents"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, [playbackConsents.view, playbackConsents.withdraw])]}
        actions={add}
        empty={{
          text: '还没有查看授权',
          hint: '用户在 App 中授权，或由人员凭书面授权登记后，才能查看录像。',
          action: add,
        }}
      />
      {isNew && <ConsentForm onClose={() => setNew(false)} />}
      {viewed && <ViewDialog consent={viewed} onClose={() => setViewed(undefined)} />}
    </>
  )
}

function useConsentActions(onView: (row: ConsentRow) => void) {
  const withdraw = useWrite(playbackConsents.withdraw)
  const uid = useSession()?.uid
  return (row: ConsentRow) =>
    row.state === VALID && (
      <RowActions
        items={[
          {
            label: '查看录像',
            to: playbackConsents.view,
            reason: row.uid === uid ? OWN_CONSENT_MESSAGE : undefined,
            onClick: () => onView(row),
          },
          {
            label: '撤回',
            to: playbackConsents.withdraw,
            danger: true,
            confirm: `撤回设备 ${row.sn} 的授权？正在进行的查看立即结束，撤回后不能恢复。`,
            onClick: () => withdraw.mutateAsync({ id: row.id }).catch(() => {}),
          },
        ]}
      />
    )
}

function ConsentSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="sn" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <SelectFilter of={QUERY} name="source" />
      <SelectFilter of={QUERY} name="state" />
      <DateRangeFilter label="授权时间" />
    </SearchForm>
  )
}

const VIEW_QUERY = playbackConsents.views.input
const { col: viewColumn } = createColumns(ViewRow)
const VIEW_COLUMNS = [
  viewColumn('createTime', time, { width: 150, sort: true }),
  viewColumn('operName', { width: 90 }),
  viewColumn('sn', { width: 130 }),
  viewColumn('channel', { width: 60, align: 'right' }),
  viewColumn('tenantName', { width: 120 }),
  viewColumn('beginTime', time, { width: 150 }),
  viewColumn('endTime', time, { width: 150 }),
  viewColumn('segments', { width: 90, align: 'right' }),
  viewColumn('reason', { width: 220 }),
  viewColumn('consentId', { width: 90, align: 'right', hidden: true }),
  viewColumn('ip', { width: 130, hidden: true }),
]

/** Views of recordings by staff. The users of the devices see the same rows in their App. */
function ViewList() {
  const list = useList(playbackConsents.views)
  const isMany = useHasManyTenants()
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={VIEW_QUERY} name="sn" />
        {isMany && (
          <Filter of={VIEW_QUERY} name="tenantId">
            <TenantPicker />
          </Filter>
        )}
        <Filter of={VIEW_QUERY} name="operName" />
        <DateRangeFilter label="查看时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="recordingViews"
        rowKey="id"
        columns={VIEW_COLUMNS}
        empty={{ text: '还没有查看记录', hint: '人员每次查看录像都会记录在这里，并显示给设备用户。' }}
      />
    </>
  )
}
