import { SERIES_COLORS } from '#kit/chart/palette.ts'
import { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { CHART_HEIGHT, computeRowChartHeight } from '#kit/chart/chart-height.ts'
import { Chart } from '#kit/chart/chart.tsx'
import type { ChartData } from '#kit/chart/chart-data.ts'
import { StatBlock, ProblemBars } from './stat-problem.tsx'
import {
  buildClosedTicketsFilter,
  ticketListPath,
  buildCreatedFilter,
  formatMinutesInWords,
  type StatRange,
} from './stat-range.ts'

interface RangeProps {
  readonly range: StatRange
}
const WEEKDAYS = ['周一', '周二', '周三', '周四', '周五', '周六', '周日']
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** Number of age groups. */
const AGES = 5

/** Bar chart of open tickets by age. */
export function AgeBars({ range }: RangeProps) {
  return (
    <StatBlock
      title="未关闭时长"
      hint="当前，与统计日期无关"
      of={feedbackStat.age}
      range={range}
      chart={computeRowChartHeight(AGES)}
    >
      {(ages) => (
        <ProblemBars
          name="未关闭时长"
          categoryTitle="时长"
          bars={ages.map(({ label, count, breached, minAge, maxAge }) => ({
            label,
            value: count,
            note: breached > 0 ? `${breached} 超时` : '',
            to: ticketListPath(range, {
              open: 1,
              minAge: minAge === 0 ? 0 : minAge,
              ...(maxAge !== null && { maxAge }),
            }),
          }))}
        />
      )}
    </StatBlock>
  )
}

/** Heat map of new tickets by weekday and hour. */
export function HeatMap({ range }: RangeProps) {
  return (
    <StatBlock
      title="来单时段"
      hint="星期 × 小时"
      of={feedbackStat.heatmap}
      range={range}
      chart={CHART_HEIGHT}
      isEmpty={(cells) => cells.length === 0}
    >
      {(cells) => <Chart name="来单时段" data={heatOf(cells, range)} />}
    </StatBlock>
  )
}

const heatOf = (cells: ResultOf<typeof feedbackStat.heatmap>, range: StatRange): ChartData => {
  const counts = new Map(cells.map(({ weekday, hour, count }) => [`${weekday}-${hour}`, count]))
  return {
    kind: 'heat',
    categoryTitle: '小时',
    categories: HOURS.map((hour) => ({ label: String(hour), title: `${hour} 时` })),
    series: WEEKDAYS.map((name, at) => ({
      name,
      color: SERIES_COLORS.created,
      values: HOURS.map((hour) => counts.get(`${at + 1}-${hour}`) ?? 0),
      links: HOURS.map((hour) => ticketListPath(range, { ...buildCreatedFilter(range), weekday: at + 1, hour })),
    })),
  }
}

/** Table of ticket figures by handler. */
export function HandlerStatsTable({ range }: RangeProps) {
  return (
    <StatBlock title="处理人员" of={feedbackStat.handler} range={range} isEmpty={(list) => list.length === 0}>
      {(list) => (
        <div className="kit-scroll">
          <table className="kit-table">
            <thead>
              <tr>
                {['处理人员', '处理中', '已关闭', '平均解决', '重新打开', '满意度'].map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {list.map((row) => (
                <HandlerRow key={row.uid} row={row} range={range} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </StatBlock>
  )
}

type Handler = ResultOf<typeof feedbackStat.handler>[number]

function HandlerRow({ row, range }: { row: Handler; range: StatRange }) {
  const { uid, realname, open, closed, solveMinutes, reopened, satisfaction } = row
  const reopenedPath = ticketListPath(range, { ...buildCreatedFilter(range), lastHandlerId: uid, reopened: 1 })
  return (
    <tr>
      <th scope="row">{realname}</th>
      <td>
        <PermittedLink to={ticketListPath(range, { open: 1, handlerId: uid })}>{open}</PermittedLink>
      </td>
      <td>
        <PermittedLink to={ticketListPath(range, { ...buildClosedTicketsFilter(range), lastHandlerId: uid })}>
          {closed}
        </PermittedLink>
      </td>
      <td>{formatMinutesInWords(solveMinutes)}</td>
      <td>
        <PermittedLink to={reopenedPath}>{reopened}</PermittedLink>
      </td>
      <td>{satisfaction ?? '-'}</td>
    </tr>
  )
}
