import { PlusOutlined } from '@ant-design/icons'
import { OtaQuery, OtaVersion, rangeInWords } from '@oms/contract/ota.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { later } from '#kernel/later.tsx'
import { Link } from '#kernel/router.tsx'
import { Allowed } from '#kernel/session.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { ExportButton } from '#kit/export-button.tsx'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { DateRangeFilter } from '#kit/filter-date.tsx'
import { Page } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { time } from '#kit/time.tsx'
import { useList } from '#kit/use-list.ts'
import { ComponentCount } from './component-count.tsx'
import { useFamily } from './family.ts'
import { ModelPicker } from './model-picker.tsx'
import { OtaStatus } from './ota-status.tsx'
import type { RangeSubject } from './range-drawer.tsx'
import { useOtaActions, type Version } from './use-ota-actions.tsx'

const AlarmBanner = later(() => import('./alarm-banner.tsx'), 'AlarmBanner')
const RangeDrawer = later(() => import('./range-drawer.tsx'), 'RangeDrawer', {
  when: ({ subject }) => subject !== undefined,
})
const OtaDrawer = later(() => import('./ota-drawer.tsx'), 'OtaDrawer', { when: ({ row }) => row !== undefined })

const { col, actions } = columnsOf(OtaVersion)
const PACKAGE = col('packageName', { width: 150 })
const COLUMNS = [
  col('verName', { width: 140 }),
  col('verCode', { width: 100, align: 'right', sort: true }),
  col('modelName', { width: 130 }),
  PACKAGE,
  col('status', (status) => <OtaStatus status={status} />, { width: 90 }),
  col('components', (_, row) => <ComponentCount version={row} />, { width: 75, align: 'right' }),
  { ...col('oldVerMin', (_, row) => rangeInWords(row), { width: 135, title: '适用旧版本' }), key: 'range' },
  col('releaseDate', time, { width: 170, sort: true }),
  col('buildDate', time, { width: 170, hidden: true }),
  col('description', { width: 220, hidden: true }),
  col('tenantName', { width: 140, hidden: true }),
  col('createByName', { width: 110, hidden: true }),
  col('createTime', time, { width: 170, hidden: true }),
  col('enableTime', time, { width: 170, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

/** Versions of one family, of the tenants one may see. */
export function VersionList() {
  const family = useFamily()
  const { packages, calls, noun } = family
  const list = useList(calls.list)
  const columns = packages ? COLUMNS : COLUMNS.filter((column) => column !== PACKAGE)
  const [ranges, setRanges] = useState<RangeSubject>()
  const actionsOf = useOtaActions(setRanges)
  const [shown, setShown] = useState<Version>()
  const rowActions = (row: Version) => (
    <RowActions items={[{ label: '详情', to: calls.get, onClick: () => setShown(row) }, ...actionsOf(row)]} />
  )
  return (
    <Page>
      {!list.table.pending && <AlarmBanner />}
      <SearchForm {...list.search}>
        {packages && <Filter of={packages} name="packageName" />}
        <Filter of={OtaQuery} name="verName" />
        <Filter of={OtaQuery} name="verCode" />
        <Filter of={OtaQuery} name="modelId">
          <ModelPicker />
        </Filter>
        <SelectFilter of={OtaVersion} name="status" />
        <DateRangeFilter label="发布日期" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="otaId"
        columns={[...columns, actions(rowActions, 190)]}
        actions={<AddButton />}
        tools={
          <>
            <Allowed to={calls.get}>
              <Button onClick={() => setRanges(subjectOf(list.query, list.table.rows[0]))}>版本路径</Button>
            </Allowed>
            <ExportButton to={calls.export} query={list.query} name={noun} />
          </>
        }
        empty={{
          text: `还没有${noun}`,
          hint: '上传组件文件并填写版本信息，启用后就能发布给设备。',
          action: <AddButton />,
        }}
        onOpen={setShown}
      />
      <RangeDrawer family={family} subject={ranges} onClose={() => setRanges(undefined)} />
      <OtaDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </Page>
  )
}

/** To begin with: the model and package of the first row, as the list is narrowed to them; else what it is narrowed to. */
function subjectOf(
  { modelId, packageName }: { modelId?: unknown; packageName?: string | undefined },
  first: Version | undefined,
): RangeSubject {
  if (first) return { modelId: first.modelId, modelName: first.modelName, packageName: first.packageName }
  return { ...(modelId ? { modelId: Number(modelId) } : {}), ...(packageName ? { packageName } : {}) }
}

function AddButton() {
  const { calls, addPath, item } = useFamily()
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
