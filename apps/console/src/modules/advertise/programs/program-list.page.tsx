import { CalendarOutlined, PlusOutlined } from '@ant-design/icons'
import { type ProgramListRow, ProgramRow, programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { formatDuration } from '@oms/contract/advertise/program-words.ts'
import { Button } from 'antd'
import { type ReactNode, useCallback, useState } from 'react'
import { useNavigate } from 'react-router'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { type Column, createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import {
  PlayDates,
  ProgramName,
  ProgramStatus,
  formatTarget,
  formatPlayTimes,
  PlayMode,
  useProgramStates,
} from './program-cells.tsx'
import { DeliveryCount, DeliveryCounts } from './delivery-count.tsx'
import { ScreensLink } from '../screens/screens-link.tsx'
import { UsedAdPicker } from './used-ad-picker.tsx'
import {
  type OpenedDialog,
  PROGRAM_LIST_PATH,
  PROGRAM_ACTION_CALLS,
  useProgramActions,
} from './use-program-actions.tsx'

const ProgramDrawer = lazyAfterRender(() => import('./program-drawer.tsx'), 'ProgramDrawer', {
  when: ({ row }) => row !== undefined,
})

const AgendaDrawer = lazyAfterRender(() => import('./agenda-drawer.tsx'), 'AgendaDrawer')
const DeliveryDrawer = lazyAfterRender(() => import('./delivery-drawer.tsx'), 'DeliveryDrawer')
const ProgramAudit = lazyAfterRender(() => import('../publishing/audit-drawer.tsx'), 'ProgramAudit')
const PublishDialog = lazyAfterRender(() => import('./publish-dialog.tsx'), 'PublishDialog')

const { col, actions } = createColumns(ProgramRow)
const QUERY = programs.list.input
const COLUMNS: readonly Column<ProgramListRow>[] = [
  col('programName', (_, row) => <ProgramName row={row} />, { width: 148, sort: true }),
  col('status', (_, row) => <ProgramStatus row={row} />, { width: 112 }),
  {
    key: 'delivery',
    title: '投放进度',
    help: '已就绪的屏幕数/屏幕数',
    width: 104,
    align: 'right',
    calls: [programChecks.deliveryCounts],
    render: (row) => <DeliveryCount row={row} />,
  },
  col('dateFrom', (_, row) => <PlayDates row={row} />, { title: '投放日期', width: 184, sort: true }),
  col('dayParts', (_, row) => <Ellipsis text={formatPlayTimes(row)} />, { title: '星期和时段', width: 148 }),
  col('targetType', (_, row) => formatTarget(row), { width: 86 }),
  col('itemCount', { width: 66, align: 'right' }),
  col('totalDuration', (seconds) => formatDuration(seconds), { width: 72, align: 'right' }),
  col('priority', { width: 84, align: 'right', sort: true }),
  col('shareOfVoice', (share) => (share === null ? '-' : `${share}%`), { width: 60, align: 'right' }),
  col('playMode', (mode) => <PlayMode mode={mode} />, { width: 90, hidden: true }),
  col('verNo', { width: 80, align: 'right', hidden: true }),
  col('publishedVer', { width: 90, align: 'right', hidden: true }),
  col('tenantName', { width: 140, hidden: true }),
  col('description', { width: 180, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

const EMPTY = {
  text: '暂无节目单',
  hint: '新增节目单后即可投放广告',
  needs: programs.create,
  otherwise: '您没有新增节目单的权限，请联系本单位的管理员编排节目单。',
}

/** Programs of advertising. */
export default function ProgramListPage() {
  const list = useList(programs.list)
  const [shown, setShown] = useState<ProgramListRow>()
  const [opened, setOpened] = useState<OpenedDialog>()
  const close = () => setOpened(undefined)
  const openDelivery = useCallback((row: ProgramListRow) => setOpened({ kind: 'delivery', row }), [])
  const rowActions = useProgramActions(setShown, setOpened)
  const add = <AddButton />
  return (
    <Page>
      <ProgramSearch {...list.search} />
      <DeliveryCounts rows={list.table.rows} onOpen={openDelivery}>
        <DataTable
          {...list.table}
          rowKey="id"
          columns={[...COLUMNS, actions(rowActions, 168, PROGRAM_ACTION_CALLS)]}
          actions={<ListActions add={add} onAgenda={() => setOpened({ kind: 'agenda' })} />}
          empty={{ ...EMPTY, action: add }}
          onOpen={setShown}
        />
      </DeliveryCounts>
      <ProgramDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {opened?.kind === 'agenda' && <AgendaDrawer onClose={close} />}
      {opened?.kind === 'delivery' && (
        <DeliveryDrawer id={opened.row.id} name={opened.row.programName} onClose={close} />
      )}
      {opened?.kind === 'audit' && <ProgramAudit row={opened.row} onClose={close} />}
      {opened?.kind === 'publish' && <PublishDialog id={opened.row.id} onClose={close} />}
    </Page>
  )
}

const ListActions = ({ add, onAgenda }: { add: ReactNode; onAgenda(): void }) => (
  <>
    {add}
    <ScreensLink />
    <Allowed to={programChecks.agenda}>
      <Button type="link" icon={<CalendarOutlined />} onClick={onAgenda}>
        屏幕日程
      </Button>
    </Allowed>
  </>
)

function ProgramSearch(search: SearchProps) {
  const states = useProgramStates().options
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="programName" />
      <SelectFilter of={QUERY} name="status" options={states} />
      <SelectFilter of={QUERY} name="insertMode" />
      <SelectFilter of={QUERY} name="targetType" />
      <SelectFilter of={QUERY} name="todo" />
      <Filter of={QUERY} name="adId">
        <UsedAdPicker />
      </Filter>
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

function AddButton() {
  const navigate = useNavigate()
  return (
    <Allowed to={programs.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => void navigate(`${PROGRAM_LIST_PATH}/add`)}>
        新增节目单
      </Button>
    </Allowed>
  )
}
