import { feedbackStat } from '@oms/contract/feedback-stat.ts'
import type { ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { Link } from '#kernel/router.tsx'
import { StatBlock } from './stat-block.tsx'
import { Bars } from './stat-problem.tsx'
import { closedIn, drill, madeIn, minutesInWords, type StatRange } from './stat-range.ts'

interface Ranged {
  readonly range: StatRange
}
const WEEKDAYS = ['周一', '周二', '周三', '周四', '周五', '周六', '周日']
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** How long what is open has been open. */
export function AgeBars({ range }: Ranged) {
  return (
    <StatBlock
      title="未关闭时长"
      hint="当前，与统计日期无关"
      of={feedbackStat.age}
      range={range}
      table={(ages) => ({
        head: ['时长', '工单', '超时'],
        rows: ages.map(({ label, count, breached }) => [label, count, breached]),
      })}
    >
      {(ages) => (
        <Bars
          bars={ages.map(({ label, count, breached, minAge, maxAge }) => ({
            key: label,
            label,
            value: count,
            note: breached > 0 ? `${breached} 超时` : '',
            to: drill(range, { open: 1, minAge: minAge === 0 ? 0 : minAge, ...(maxAge !== null && { maxAge }) }),
          }))}
        />
      )}
    </StatBlock>
  )
}

/** When tickets come in, by weekday and hour. */
export function HeatMap({ range }: Ranged) {
  return (
    <StatBlock
      title="来单时段"
      hint="星期 × 小时"
      of={feedbackStat.heatmap}
      range={range}
      table={(cells) => ({
        head: ['星期', '小时', '工单'],
        rows: cells.map(({ weekday, hour, count }) => [WEEKDAYS[weekday - 1] ?? weekday, hour, count]),
      })}
      isEmpty={(cells) => cells.length === 0}
    >
      {(cells) => <Heat cells={cells} range={range} />}
    </StatBlock>
  )
}

function Heat({ cells, range }: { cells: ResultOf<typeof feedbackStat.heatmap>; range: StatRange }) {
  const max = Math.max(1, ...cells.map(({ count }) => count))
  const counts = new Map(cells.map(({ weekday, hour, count }) => [`${weekday}-${hour}`, count]))
  return (
    <div className="stat-scroll">
      <div className="stat-heat">
        <span />
        {HOURS.map((hour) => (
          <span key={hour} className="stat-heat-hour">
            {hour}
          </span>
        ))}
        {WEEKDAYS.map((name, at) => (
          <HeatRow key={name} name={name} weekday={at + 1} {...{ counts, max, range }} />
        ))}
      </div>
    </div>
  )
}

function HeatRow(props: { name: string; weekday: number; counts: Map<string, number>; max: number; range: StatRange }) {
  const { name, weekday, counts, max, range } = props
  return (
    <>
      <span className="stat-heat-day">{name}</span>
      {HOURS.map((hour) => {
        const count = counts.get(`${weekday}-${hour}`) ?? 0
        const title = `${name} ${hour} 时：${count} 个工单`
        const style = {
          background: `color-mix(in srgb, var(--ant-color-primary) ${Math.round((count / max) * 90)}%, var(--ant-color-fill-quaternary))`,
        }
        if (count === 0) return <i key={hour} style={style} title={title} />
        return (
          <Link
            key={hour}
            to={drill(range, { ...madeIn(range), weekday, hour })}
            style={style}
            title={title}
            aria-label={title}
          />
        )
      })}
    </>
  )
}

/** What everybody did. */
export function Handlers({ range }: Ranged) {
  return (
    <StatBlock title="处理人员" of={feedbackStat.handler} range={range} isEmpty={(list) => list.length === 0}>
      {(list) => (
        <div className="stat-scroll">
          <table className="stat-table">
            <thead>
              <tr>
                {['处理人员', '处理中', '已关闭', '平均解决', '重开', '满意度'].map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {list.map(({ uid, realname, open, closed, solveMinutes, reopened, satisfaction }) => (
                <tr key={uid}>
                  <th scope="row">{realname}</th>
                  <td>
                    <Link to={drill(range, { open: 1, handlerId: uid })}>{open}</Link>
                  </td>
                  <td>
                    <Link to={drill(range, { ...closedIn(range), lastHandlerId: uid })}>{closed}</Link>
                  </td>
                  <td>{minutesInWords(solveMinutes)}</td>
                  <td>
                    <Link to={drill(range, { ...madeIn(range), lastHandlerId: uid, reopened: 1 })}>{reopened}</Link>
                  </td>
                  <td>{satisfaction ?? '-'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </StatBlock>
  )
}
