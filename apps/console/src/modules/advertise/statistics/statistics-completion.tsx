import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { AD_BOOKING_STATE, AdBookingRow, adStats } from '@oms/contract/advertise/statistics.ts'
import { Tag } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { formatPercentage } from '#core/text/format.ts'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useList } from '#kit/list/use-list.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { type AdStatFilter, detailPath } from './statistics-filter.ts'

const { col, actions } = createColumns(AdBookingRow)

const ForecastDialog = lazyAfterRender(() => import('../programs/program-forecast.tsx'), 'ForecastDialog')
const COLORS: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'warning',
  3: 'success',
  4: 'error',
}
const count = { align: 'right', width: 92 } as const
const number = (value: number) => value.toLocaleString()

const Bar = ({ rate }: { rate: number }) => (
  <span className="ad-stat-bar">
    <span aria-hidden>
      <i style={{ inlineSize: `${Math.min(100, rate)}%` }} />
    </span>
    <b>{formatPercentage(rate)}</b>
  </span>
)

const COLUMNS = [
  col(
    'programName',
    (name, row) => (
      <PermittedLink to={detailPath({ startDate: row.dateFrom, endDate: row.dateTo }, { programId: row.programId })}>
        {name}
      </PermittedLink>
    ),
    { width: 136 },
  ),
  col('tenantName', { width: 104 }),
  col('dateFrom', { width: 100 }),
  col('dateTo', { width: 100 }),
  col('booked', number, count),
  col('played', number, count),
  col('due', number, { ...count, help: '按日平均，到昨天应完成的播放次数' }),
  col('rate', (rate) => <Bar rate={rate} />, { title: '完成率', width: 120 }),
  col('state', (state) => <Tag color={COLORS[state] ?? 'default'}>{AD_BOOKING_STATE[state as 0]}</Tag>, {
    width: 88,
  }),
]

/** Lists the booked programs whose dates overlap the range. The table counts the plays of the whole booking. */
export function StatCompletion({ filter }: { filter: AdStatFilter }) {
  const { tenantId, programId, startDate, endDate } = filter
  const list = useList(adStats.completion, { startDate, endDate, tenantId, programId } as never)
  const [shown, setShown] = useState<AdBookingRow>()
  return (
    <>
      <DataTable
        {...list.table}
        name="ad-bookings"
        rowKey="programId"
        columns={[
          ...COLUMNS,
          actions(
            (row) => (
              <RowActions items={[{ label: '完成预测', to: programChecks.forecast, onClick: () => setShown(row) }]} />
            ),
            90,
          ),
        ]}
        empty={{ text: '这段时间没有预约播放的节目单' }}
      />
      {shown && <ForecastDialog id={shown.programId} name={shown.programName} onClose={() => setShown(undefined)} />}
    </>
  )
}
