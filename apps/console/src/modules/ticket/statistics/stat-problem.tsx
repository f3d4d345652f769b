import { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import {
  PROBLEM_DICT,
  PROBLEM_PART,
  PROBLEM_PARTS,
  PROBLEM_TYPE,
  type ProblemPart,
} from '@oms/contract/ticket/ticket-rows.ts'
import { formatPercent } from '#core/text/format.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'
import { StatBlock } from './stat-block.tsx'
import { ticketListPath, buildCreatedFilter, type StatRange } from './stat-range.ts'
import { PROBLEM_TYPE_DICT } from '../ticket-tags.tsx'
import './statistics.css'

/** Height of the ring chart in pixels. */
const RING_HEIGHT = 180
const TYPE_COLOR: Readonly<Record<string, string>> = {
  1: '--ant-color-error',
  2: '--ant-color-warning',
  3: '--ant-color-primary',
}

/** Ring chart of the problem types, and a Pareto chart of the selected options of each checklist. */
export function ProblemCharts({ range }: { range: StatRange }) {
  const { label } = useDictLabels(PROBLEM_TYPE_DICT, PROBLEM_TYPE)
  return (
    <div className="stat-four">
      <StatBlock
        title="问题类型"
        of={feedbackStat.problem}
        range={range}
        chart={RING_HEIGHT}
        isEmpty={({ types }) => types.length === 0}
      >
        {({ types }) => (
          <Chart
            name="问题类型"
            height={RING_HEIGHT}
            data={{
              kind: 'ring',
              categoryTitle: '类型',
              categories: types.map(({ key }) => ({ label: label(key), color: TYPE_COLOR[key] ?? '#94a3b8' })),
              series: [
                {
                  name: '工单',
                  color: '--ant-color-primary',
                  values: types.map(({ count }) => count),
                  links: types.map(({ key }) =>
                    ticketListPath(range, { ...buildCreatedFilter(range), problemType: key }),
                  ),
                },
              ],
            }}
          />
        )}
      </StatBlock>
      {PROBLEM_PARTS.map((part) => (
        <Pareto key={part} part={part} range={range} />
      ))}
    </div>
  )
}

/** Pareto chart: bars in descending order with the cumulative share. */
function Pareto({ part, range }: { part: ProblemPart; range: StatRange }) {
  const dict = useDict(PROBLEM_DICT[part])
  return (
    <StatBlock
      title={PROBLEM_PART[part]}
      hint="累计占比"
      of={feedbackStat.problem}
      range={range}
      chart={RING_HEIGHT}
      isEmpty={(data) => data[part].length === 0}
    >
      {(data) => {
        const total = data[part].reduce((sum, { count }) => sum + count, 0)
        return (
          <ProblemBars
            name={PROBLEM_PART[part]}
            categoryTitle="选项"
            bars={data[part].map(({ key, count }, at) => ({
              label: dict.labelOf(key),
              value: count,
              note: formatPercent(data[part].slice(0, at + 1).reduce((sum, one) => sum + one.count, 0) / total),
              to: ticketListPath(range, { ...buildCreatedFilter(range), [part]: key }),
            }))}
          />
        )
      }}
    </StatBlock>
  )
}

interface Bar {
  readonly label: string
  readonly value: number
  readonly note: string
  readonly to: string
}

/** Horizontal bar chart. A click on a bar opens the counted tickets. */
export const ProblemBars = ({
  name,
  categoryTitle,
  bars,
}: {
  name: string
  categoryTitle: string
  bars: readonly Bar[]
}) => (
  <Chart
    name={name}
    data={{
      kind: 'row',
      categoryTitle,
      categories: bars.map(({ label, note }) => ({ label, note })),
      series: [
        {
          name: '工单',
          color: '--ant-color-primary',
          values: bars.map(({ value }) => value),
          links: bars.map(({ to }) => to),
        },
      ],
    }}
  />
)
