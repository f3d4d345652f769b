import { CalendarOutlined, PlusOutlined } from '@ant-design/icons'
import { type ProgramListRow, ProgramRow, programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { formatDuration, BEYOND_SCOPE_MESSAGE, PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { Button } from 'antd'
import { type ReactNode, useCallback, useState, createContext, use, useMemo } from 'react'
import { useNavigate } from 'react-router'
import { Allowed, useMayCall } from '#core/auth/session.tsx'
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
  PROGRAM_LIST_PATH,
  PlayDates,
  ProgramName,
  ProgramStatus,
  formatTarget,
  formatPlayTimes,
  PlayMode,
  useProgramStates,
  ScreensLink,
} from './program-cells.tsx'
import { OWN_PROGRAM_MESSAGE, programPublish } from '@oms/contract/advertise/program-publish.ts'
import { useWrite, useRead } from '#core/api/query.ts'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const ProgramDrawer = lazyAfterRender(() => import('./program-drawer.tsx'), 'ProgramDrawer', {
  when: ({ row }) => row !== undefined,
})

const AgendaDrawer = lazyAfterRender(() => import('./agenda-drawer.tsx'), 'AgendaDrawer')
const DeliveryDrawer = lazyAfterRender(() => import('./delivery-drawer.tsx'), 'DeliveryDrawer')
const ProgramAudit = lazyAfterRender(() => import('./audit-drawer.tsx'), 'ProgramAudit')
const PublishDialog = lazyAfterRender(() => import('./publish-dialog.tsx'), 'PublishDialog')

const { col, actions } = createColumns(ProgramRow)
const QUERY = programs.list.input
const COLUMNS: readonly Column<ProgramListRow>[] = [
  col('programName', (_, row) => <ProgramName row={row} />, { width: 140, sort: true }),
  col('status', (_, row) => <ProgramStatus row={row} />, { width: 96 }),
  {
    key: 'delivery',
    title: '投放进度',
    help: '已就绪的屏幕数/屏幕数',
    width: 96,
    align: 'right',
    calls: [programChecks.deliveryCounts],
    render: (row) => <DeliveryCount row={row} />,
  },
  col('dateFrom', (_, row) => <PlayDates row={row} />, { title: '投放日期', width: 176, sort: true }),
  col('dayParts', (_, row) => <Ellipsis text={formatPlayTimes(row)} />, { title: '星期和时段', width: 130 }),
  col('targetType', (_, row) => formatTarget(row), { width: 86 }),
  col('itemCount', { width: 60, align: 'right' }),
  col('totalDuration', (seconds) => formatDuration(seconds), { width: 62, align: 'right' }),
  col('priority', { width: 76, align: 'right', sort: true }),
  col('shareOfVoice', (share) => (share === null ? '-' : `${share}%`), { width: 60, align: 'right', hidden: true }),
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

const VIEWS: readonly BuiltInView[] = [
  { name: '待我审批', filters: { todo: '1' } },
  { name: '投放中', filters: { status: '3' } },
  { name: '草稿', filters: { status: '0' } },
]

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
          views={VIEWS}
          rowKey="id"
          columns={[...COLUMNS, actions(rowActions, 130, PROGRAM_ACTION_CALLS)]}
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

/** Dialog or drawer that the list of programs shows. */
type OpenedDialog =
  | { readonly kind: 'agenda' }
  | { readonly kind: 'delivery' | 'audit' | 'publish'; readonly row: ProgramListRow }

/** Calls of the row actions of a program. */
const PROGRAM_ACTION_CALLS = [
  programs.get,
  programs.update,
  programs.copy,
  programs.remove,
  programChecks.delivery,
  programPublish.audit,
  programPublish.publish,
  programPublish.pause,
  programPublish.resume,
  programPublish.withdraw,
]

/** Returns a function that renders the actions on a program. */
function useProgramActions(onShow: (row: ProgramListRow) => void, onOpen: (opened: OpenedDialog) => void) {
  const liveActions = useLiveActions()
  const navigate = useNavigate()
  const remove = useWrite(programs.remove)
  const copy = useWrite(programs.copy)
  return (row: ProgramListRow) => {
    const { id, programName, publishedVer, waitingVer, isOwnWaiting } = row
    const reason = findBlock(row)
    const edit = () => void navigate(`${PROGRAM_LIST_PATH}/edit/${id}`)
    const open = (kind: 'delivery' | 'audit' | 'publish') => () => onOpen({ kind, row })
    return (
      <RowActions
        items={[
          { label: '详情', to: programs.get, onClick: () => onShow(row) },
          { label: '编辑', to: programs.update, reason, onClick: edit },
          waitingVer > 0 && {
            label: '审批',
            to: programPublish.audit,
            reason: reason ?? (isOwnWaiting ? OWN_PROGRAM_MESSAGE : undefined),
            onClick: open('audit'),
          },
          waitingVer === 0 && { label: '发布', to: programPublish.publish, reason, onClick: open('publish') },
          publishedVer > 0 && { label: '投放进度', to: programChecks.delivery, onClick: open('delivery') },
          ...liveActions(row),
          { label: '复制', to: programs.copy, reason, onClick: () => copy.mutateAsync({ id }) },
          {
            label: '删除',
            to: programs.remove,
            danger: true,
            reason: reason ?? (isPublishedOrWaiting(row) ? '节目单已发布，请先撤回再删除' : undefined),
            confirm: `删除节目单「${programName}」？`,
            onClick: () => remove.mutateAsync({ id }),
          },
        ]}
      />
    )
  }
}

/** Returns why the caller may not change a program. */
const findBlock = ({ isBeyondScope }: ProgramListRow) => (isBeyondScope ? BEYOND_SCOPE_MESSAGE : undefined)

/** Returns whether a program is published or waits for approval, so that it must be withdrawn before deletion. */
const isPublishedOrWaiting = ({ status, waitingVer }: ProgramListRow) =>
  waitingVer > 0 || (status !== PROGRAM_STATUS.draft && status !== PROGRAM_STATUS.ended)

/** Returns the actions that pause, resume and withdraw a program in its present status. */
function useLiveActions() {
  const pause = useWrite(programPublish.pause)
  const resume = useWrite(programPublish.resume)
  const withdraw = useWrite(programPublish.withdraw)
  return (row: ProgramListRow): readonly (RowAction | false)[] => {
    const { id, programName, status, publishedVer, waitingVer } = row
    const reason = findBlock(row)
    return [
      publishedVer > 0 &&
        status !== PROGRAM_STATUS.paused && {
          label: '暂停',
          to: programPublish.pause,
          reason,
          confirm: `暂停节目单「${programName}」？屏幕将在下一次检查时停止播放。`,
          onClick: () => pause.mutateAsync({ id }),
        },
      status === PROGRAM_STATUS.paused && {
        label: '恢复',
        to: programPublish.resume,
        reason,
        onClick: () => resume.mutateAsync({ id }),
      },
      (publishedVer > 0 || waitingVer > 0) && {
        label: '撤回',
        to: programPublish.withdraw,
        reason,
        danger: true,
        confirm:
          waitingVer > 0
            ? `撤回节目单「${programName}」待审批的版本 ${waitingVer}？`
            : `撤回节目单「${programName}」？屏幕将停止播放，需要时可以重新发布。`,
        onClick: () => withdraw.mutateAsync({ id }),
      },
    ]
  }
}

interface Counts {
  readonly screens: number
  readonly ready: number
}

interface Deliveries {
  readonly counts: ReadonlyMap<number, Counts>
  onOpen(row: ProgramListRow): void
}

const DeliveriesContext = createContext<Deliveries>({ counts: new Map(), onOpen: () => {} })

interface ProviderProps {
  readonly rows: readonly ProgramListRow[]
  /** Opens the delivery of a program. */
  onOpen(row: ProgramListRow): void
  readonly children: ReactNode
}

/** Provides the delivery counts of all programs in force on a page of the list. Reads them with one request. */
function DeliveryCounts({ rows, onOpen, children }: ProviderProps) {
  const mayCall = useMayCall()
  const ids = rows.filter(isInForce).map(({ id }) => id)
  const enabled = ids.length > 0 && mayCall(programChecks.deliveryCounts)
  const { data } = useRead(programChecks.deliveryCounts, { ids }, { enabled, quiet: true, staleTime: 0 })
  const value = useMemo(
    () => ({ counts: new Map((enabled ? (data?.list ?? []) : []).map(({ id, ...counts }) => [id, counts])), onOpen }),
    [data, enabled, onOpen],
  )
  return <DeliveriesContext value={value}>{children}</DeliveriesContext>
}

const isInForce = ({ status }: Pick<ProgramListRow, 'status'>) =>
  status === PROGRAM_STATUS.delivering || status === PROGRAM_STATUS.delivered

/** Shows the numbers of ready screens and of all screens of a program (`1,180/1,204`). A click opens the delivery. */
function DeliveryCount({ row }: { row: ProgramListRow }) {
  const { counts, onOpen } = use(DeliveriesContext)
  const count = counts.get(row.id)
  if (!count || !isInForce(row)) return '-'
  const text = `${count.ready.toLocaleString('en')}/${count.screens.toLocaleString('en')}`
  return (
    <button
      type="button"
      className="kit-link"
      title={`${count.ready} 块屏幕已就绪，共 ${count.screens} 块`}
      onClick={(event) => {
        event.stopPropagation()
        onOpen(row)
      }}
    >
      {text}
    </button>
  )
}

/** Selects an ad that programs use. */
function UsedAdPicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const adId = Number(props.value) || undefined
  const read = useRead(programOptions.usedAds, { keyword, ...(adId && { adId }) }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <RecordSelect placeholder="输入广告名称搜索" {...props} source={{ options, read, onSearch }} />
}
