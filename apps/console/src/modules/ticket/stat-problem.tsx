import { feedbackStat } from '@oms/contract/feedback-stat.ts'
import {
  PROBLEM_DICT,
  PROBLEM_PART,
  PROBLEM_PARTS,
  PROBLEM_TYPE,
  type ProblemPart,
} from '@oms/contract/feedback-rows.ts'
import { Link } from '#kernel/router.tsx'
import { useWords } from '#kit/dict-words.tsx'
import { useDict } from '#kit/use-dict.ts'
import { StatBlock } from './stat-block.tsx'
import { drill, madeIn, type StatRange } from './stat-range.ts'
import { TYPE_DICT } from './ticket-tags.tsx'

interface Counted {
  readonly key: string
  readonly count: number
}
const CIRCLE = 2 * Math.PI * 40

/** Problem types as a ring, and the ticked options of each checklist, the most frequent first. */
export function ProblemCharts({ range }: { range: StatRange }) {
  const { label } = useWords(TYPE_DICT, PROBLEM_TYPE)
  return (
    <div className="stat-four">
      <StatBlock
        title="问题类型"
        of={feedbackStat.problem}
        range={range}
        table={({ types }) => ({ head: ['类型', '工单'], rows: types.map(({ key, count }) => [label(key), count]) })}
        isEmpty={({ types }) => types.length === 0}
      >
        {({ types }) => <Ring types={types} range={range} />}
      </StatBlock>
      {PROBLEM_PARTS.map((part) => (
        <Pareto key={part} part={part} range={range} />
      ))}
    </div>
  )
}

function Ring({ types, range }: { types: readonly Counted[]; range: StatRange }) {
  const { label } = useWords(TYPE_DICT, PROBLEM_TYPE)
  const total = types.reduce((sum, { count }) => sum + count, 0)
  const parts = types.map((one, at) => ({
    ...one,
    share: one.count / total,
    from: types.slice(0, at).reduce((sum, { count }) => sum + count, 0) / total,
  }))
  return (
    <div className="stat-ring">
      <svg viewBox="0 0 100 100" role="img" aria-label={`共 ${total} 个工单`}>
        {parts.map(({ key, share, from }) => (
          <circle
            key={key}
            cx="50"
            cy="50"
            r="40"
            className={`stat-type-${key}`}
            strokeDasharray={`${share * CIRCLE} ${CIRCLE}`}
            strokeDashoffset={-from * CIRCLE}
          />
        ))}
        <text x="50" y="54" textAnchor="middle">
          {total}
        </text>
      </svg>
      <ul>
        {parts.map(({ key, count, share }) => (
          <li key={key}>
            <Link to={drill(range, { ...madeIn(range), problemType: key })} className={`stat-type-${key}`}>
              {label(key)}
            </Link>
            <b>{count}</b>
            <span>{Math.round(share * 100)}%</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Bars by frequency with the running share behind each. */
function Pareto({ part, range }: { part: ProblemPart; range: StatRange }) {
  const dict = useDict(PROBLEM_DICT[part])
  return (
    <StatBlock
      title={PROBLEM_PART[part]}
      hint="累计占比"
      of={feedbackStat.problem}
      range={range}
      table={(data) => ({
        head: ['选项', '工单'],
        rows: data[part].map(({ key, count }) => [dict.labelOf(key), count]),
      })}
      isEmpty={(data) => data[part].length === 0}
    >
      {(data) => {
        const total = data[part].reduce((sum, { count }) => sum + count, 0)
        return (
          <Bars
            bars={data[part].map(({ key, count }, at) => ({
              key,
              label: dict.labelOf(key),
              value: count,
              note: `${Math.round((data[part].slice(0, at + 1).reduce((sum, one) => sum + one.count, 0) / total) * 100)}%`,
              to: drill(range, { ...madeIn(range), [part]: key }),
            }))}
          />
        )
      }}
    </StatBlock>
  )
}

interface Bar {
  readonly key: string
  readonly label: string
  readonly value: number
  readonly note?: string
  readonly to: string
}

/** Horizontal bars; each is a link to what it counts. */
export function Bars({ bars }: { bars: readonly Bar[] }) {
  const max = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <ul className="stat-bars">
      {bars.map(({ key, label, value, note, to }) => (
        <li key={key}>
          <Link to={to} title={`${label}：${value}`}>
            <span className="stat-bar-name">{label}</span>
            <span className="stat-bar-line">
              <i style={{ width: `${(value / max) * 100}%` }} />
            </span>
            <b>{value}</b>
            {note !== undefined && <small>{note}</small>}
          </Link>
        </li>
      ))}
    </ul>
  )
}
