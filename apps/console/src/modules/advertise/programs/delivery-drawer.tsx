import { DeliveryRow, programChecks } from '@oms/contract/advertise/program-check.ts'
import { DELIVERY_STATE, formatPlayerFailure } from '@oms/contract/advertise/screen.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import { Alert, Drawer, Segmented, Table } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { computeLastPage } from '#kit/list/list-state.ts'
import { Time } from '#kit/record/time.tsx'
import { formatReadyFiles, STATE_HINT, StateTag } from '../screens/screen-cells.tsx'

const PAGE_SIZE = 20
const ALL = -1
const title = (field: string) => about(DeliveryRow, field).title
const COLUMNS = [
  { key: 'sn', title: title('sn'), dataIndex: 'sn' },
  {
    key: 'state',
    title: title('state'),
    dataIndex: 'state',
    render: (state: number) => <StateTag state={state} />,
  },
  {
    key: 'files',
    title: '文件',
    align: 'right' as const,
    render: (row: z.output<typeof DeliveryRow>) => formatReadyFiles(row.state, row) || '-',
  },
  {
    key: 'reason',
    title: title('reason'),
    dataIndex: 'reason',
    render: (reason: string) => (reason === '' ? '-' : formatPlayerFailure(reason)),
  },
  { key: 'devName', title: title('devName'), dataIndex: 'devName' },
  { key: 'tenantName', title: title('tenantName'), dataIndex: 'tenantName' },
  {
    key: 'lastReportTime',
    title: title('lastReportTime'),
    dataIndex: 'lastReportTime',
    render: (at: string | null) => <Time at={at} />,
  },
]

/** Delivery of a program: screens by state, failures by reason. */
export function DeliveryDrawer({ id, name, onClose }: { id: number; name: string; onClose(): void }) {
  const [state, setState] = useState(ALL)
  const [pageNum, setPage] = useState(1)
  const read = useRead(
    programChecks.delivery,
    { id, pageNum, pageSize: PAGE_SIZE, ...(state !== ALL && { state: state as 0 }) },
    { quiet: true, staleTime: 0 },
  )
  const { data } = read
  const last = computeLastPage(data?.total ?? 0, PAGE_SIZE)
  if (data && pageNum > last) setPage(last)
  return (
    <Drawer open title={`投放进度 · ${name}`} size="min(960px, 100vw)" onClose={onClose}>
      {data ? (
        <div className="kit-stack">
          <Segmented
            aria-label="下发状态"
            options={optionsOf(data.states)}
            value={state}
            onChange={(next) => {
              setState(next)
              setPage(1)
            }}
          />
          <StateHints states={data.states} />
          {data.failures.length > 0 && <Alert type="error" showIcon title={describeFailures(data.failures)} />}
          <Screens data={data} pageNum={pageNum} onPage={setPage} />
        </div>
      ) : (
        <Waiting reads={[read]} rows={6} />
      )}
    </Drawer>
  )
}

const describeFailures = (failures: ResultOf<typeof programChecks.delivery>['failures']) =>
  failures.map(({ reason, count: screens }) => `${formatPlayerFailure(reason)} ${screens} 块屏幕`).join('；')

interface ScreensProps {
  readonly data: Pick<ResultOf<typeof programChecks.delivery>, 'list' | 'total'>
  readonly pageNum: number
  onPage(pageNum: number): void
}

const Screens = ({ data, pageNum, onPage }: ScreensProps) => (
  <Table
    size="small"
    rowKey="id"
    columns={COLUMNS}
    dataSource={data.list}
    scroll={{ x: 'max-content' }}
    pagination={{
      current: pageNum,
      pageSize: PAGE_SIZE,
      total: data.total,
      showSizeChanger: false,
      onChange: onPage,
    }}
  />
)

/** Shows the explanations (`STATE_HINT`) of the states that occur. */
const StateHints = ({ states }: { readonly states: readonly { readonly state: number }[] }) =>
  states.map(({ state }) =>
    STATE_HINT[state] === undefined ? null : (
      <p key={state} className="kit-muted">
        {DELIVERY_STATE[state as 0]}：{STATE_HINT[state]}
      </p>
    ),
  )

/**
 * Returns the options of the state filter with their number of screens. Omits states with a hint while no screen has
 * them.
 */
function optionsOf(states: readonly { state: number; count: number }[]) {
  const count = (wanted: number) => states.find((each) => each.state === wanted)?.count ?? 0
  const all = states.reduce((sum, each) => sum + each.count, 0)
  return [
    { value: ALL, label: `全部 ${all}` },
    ...Object.entries(DELIVERY_STATE)
      .map(([value, label]) => ({ value: Number(value), label }))
      .filter(({ value }) => count(value) > 0 || STATE_HINT[value] === undefined)
      .map(({ value, label }) => ({ value, label: `${label} ${count(value)}` })),
  ]
}
