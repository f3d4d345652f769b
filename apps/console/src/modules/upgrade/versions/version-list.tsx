import { PlusOutlined } from '@ant-design/icons'
import { OtaQuery, OtaVersion, COMPONENT_TYPE, OTA_MESSAGES, OTA_STATUS } from '@oms/contract/upgrade/ota.ts'
import { formatVersionRange } from '@oms/contract/upgrade/version-range.ts'
import { Button, Popover, Skeleton, Spin } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Link } from '#core/routing/router.tsx'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { formatBytes } from '#core/text/format.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { DictLabel } from '#kit/pickers/dict-words.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { DeviceModelPicker, useOtaActions, type Version, formatVersionName } from './version.tsx'
import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { toast } from '#core/loading/toast.ts'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const AlarmBanner = lazyAfterRender(() => import('./alarm-banner.tsx'), 'AlarmBanner')
const OtaDrawer = lazyAfterRender(() => import('./ota-drawer.tsx'), 'OtaDrawer', {
  when: ({ row }) => row !== undefined,
})

const { col, actions } = createColumns(OtaVersion)
const PACKAGE = col('packageName', { width: 150 })
const COLUMNS = [
  col('verName', { width: 134 }),
  col('verCode', { width: 90, align: 'right', sort: true }),
  col('modelName', { width: 130 }),
  PACKAGE,
  col('components', (_, row) => <ComponentCount version={row} />, { width: 75, align: 'right' }),
  { ...col('oldVerMin', (_, row) => formatVersionRange(row), { width: 152, title: '适用旧版本' }), key: 'range' },
  col('releaseDate', time, { width: 150, sort: true }),
  col('buildDate', time, { width: 170, hidden: true }),
  col('description', { width: 220, hidden: true }),
  col('tenantName', { width: 140, hidden: true }),
  col('createByName', { width: 110, hidden: true }),
  col('createTime', time, { width: 170, hidden: true }),
  col('enableTime', time, { width: 170, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

const HINT = '上传组件文件并填写版本信息，启用后就能发布给设备。'

const VIEWS: readonly BuiltInView[] = [
  { name: OTA_STATUS[0], filters: { status: '0' } },
  { name: OTA_STATUS[1], filters: { status: '1' } },
  { name: '待我审批', filters: { todo: '1' } },
]

/** Lists the versions of one artifact kind within the data scope. */
export function VersionList() {
  const { packages, calls, noun } = useArtifactKind()
  const list = useList(calls.list)
  const status = col('status', (_, row) => <OtaStatusSwitch row={row} />, { width: 100 })
  const columns = COLUMNS.toSpliced(COLUMNS.indexOf(PACKAGE) + 1, 0, status).filter(
    (column) => packages || column !== PACKAGE,
  )
  const actionsOf = useOtaActions()
  const [shown, setShown] = useState<Version>()
  const rowActions = (row: Version) => (
    <RowActions items={[{ label: '详情', to: calls.get, onClick: () => setShown(row) }, ...actionsOf(row)]} />
  )
  return (
    <Page>
      {!list.table.pending && <AlarmBanner />}
      <VersionSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="otaId"
        columns={[...columns, actions(rowActions, 130, [calls.get, calls.update, calls.remove])]}
        actions={<AddButton />}
        tools={<ExportButton to={calls.export} query={list.query} name={noun} />}
        empty={{ text: `还没有${noun}`, hint: HINT, action: <AddButton /> }}
        onOpen={setShown}
      />
      <OtaDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </Page>
  )
}

function VersionSearch(search: SearchProps) {
  const { packages } = useArtifactKind()
  return (
    <SearchForm {...search}>
      {packages && <Filter of={packages} name="packageName" />}
      <Filter of={OtaQuery} name="verName" />
      <Filter of={OtaQuery} name="verCode" />
      <Filter of={OtaQuery} name="modelId">
        <DeviceModelPicker />
      </Filter>
      <SelectFilter of={OtaVersion} name="status" />
      <SelectFilter of={OtaQuery} name="todo" />
      <DateRangeFilter label="发布日期" />
    </SearchForm>
  )
}

function AddButton() {
  const { calls, addPath, item } = useArtifactKind()
  return (
    <Allowed to={calls.create}>
      <Link to={addPath}>
        <Button type="primary" icon={<PlusOutlined />} tabIndex={-1}>
          新增{item}
        </Button>
      </Link>
    </Allowed>
  )
}

/** Number of components of a version. The components are loaded when the popover opens. */
function ComponentCount({ version: { otaId, components, verName } }: { version: Version }) {
  const can = useCan()
  const { calls } = useArtifactKind()
  if (components === 0 || !can(calls.get.access)) return <>{components}</>
  return (
    <Popover trigger="click" title="组件" destroyOnHidden content={<Summary otaId={otaId} />}>
      <Button type="link" size="small" aria-label={`${verName} 的 ${components} 个组件`}>
        {components}
      </Button>
    </Popover>
  )
}

function Summary({ otaId }: { otaId: number }) {
  const { calls } = useArtifactKind()
  const { data, error } = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false })
  if (error) return <>{error.message}</>
  if (!data) return <Skeleton active title={false} paragraph={{ rows: 2, width: 200 }} />
  return (
    <ul className="kit-lines">
      {data.components.map(({ id, name, type, size }) => (
        <li key={id}>
          <span>{name}</span>
          <span>
            <DictLabel type="ota_component_type" words={COMPONENT_TYPE} value={type} />
          </span>
          <span>{formatBytes(size)}</span>
        </li>
      ))}
    </ul>
  )
}

const RecallNote = lazyAfterRender(() => import('./alarm-banner.tsx'), 'RecallNote')

/** Enables or disables a version after its effects were shown. */
function OtaStatusSwitch({ row }: { readonly row: Version }) {
  const { calls, noun } = useArtifactKind()
  const can = useCan()
  const enable = useEnable()
  const disable = useDisable()
  return (
    <StatusSwitch
      on={row.status === 1}
      name={`${noun}${formatVersionName(row)}`}
      reason={can((row.status === 1 ? calls.disable : calls.enable).access) ? undefined : NO_STATUS_PERMISSION}
      confirms
      offText={OTA_STATUS[row.status === 0 ? 0 : 2]}
      onChange={(on) => (on ? enable(row) : disable(row))}
    />
  )
}

/** Confirms, and keeps the confirmation open while the server reads all components again. */
function useEnable() {
  const { calls, noun } = useArtifactKind()
  const { mutateAsync } = useWrite(calls.enable)
  return async (row: Version) => {
    if (row.modelId === null) return toast.warning(OTA_MESSAGES.noModel)
    if (row.components === 0) return toast.warning(OTA_MESSAGES.empty)
    const dialog = dialogs.confirm({
      title: `${ENABLED_LABELS.enable}${noun}${formatVersionName(row)}？`,
      content: `启用前服务器会重新读取 ${row.components} 个组件并比对校验值。启用后，版本号、型号和组件不能再修改，版本不能删除。`,
      okText: ENABLED_LABELS.enable,
      cancelText: '取消',
      onOk: async () => {
        dialog.update({ content: <Verifying />, cancelButtonProps: { disabled: true } })
        // The call has shown its error; the confirmation only closes.
        await mutateAsync({ otaId: row.otaId }).catch(() => {})
      },
    })
  }
}

function useDisable() {
  const artifact = useArtifactKind()
  const { calls, noun } = artifact
  const can = useCan()
  const { mutateAsync } = useWrite(calls.disable)
  return async (row: Version) => {
    const name = `${noun}${formatVersionName(row)}`
    dialogs.confirm({
      title: ENABLED_LABELS.disable,
      content: can(calls.get.access) ? (
        <RecallNote artifact={artifact} otaId={row.otaId} name={name} />
      ) : (
        `${ENABLED_LABELS.disable}${name}？停用后设备不再收到它，已升级的设备不受影响。`
      ),
      okText: ENABLED_LABELS.disable,
      okButtonProps: { danger: true },
      cancelText: '取消',
      onOk: () => mutateAsync({ otaId: row.otaId }).catch(() => {}),
    })
  }
}

const Verifying = () => (
  <span role="status">
    <Spin size="small" /> 正在校验文件…
  </span>
)
