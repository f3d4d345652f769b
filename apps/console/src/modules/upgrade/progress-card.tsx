import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { describeLimits } from '@oms/contract/upgrade/release-plan.ts'
import { Empty } from 'antd'
import { formatRate } from '#core/text/format.ts'
import { Panel } from '#kit/record/page.tsx'
import { type Release, TASK_COLOR, taskStateText } from './release-state.tsx'
import './upgrade.css'

/** Shows all tasks as one bar with a segment for each state. A click on a figure filters the list. */
export function ProgressCard(props: {
  release: Release
  state: number | undefined
  onState(state: number | undefined): void
}) {
  const { counts, installed } = props.release
  const limits = describeLimits(props.release)
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const of = (state: number) => counts.find((each) => each.state === state)?.count ?? 0
  const closed = of(TASK_STATE_CODE.succeeded) + of(TASK_STATE_CODE.failed)
  if (total === 0)
    return (
      <Panel title="升级进度">
        <Empty
          image={Empty.PRESENTED_IMAGE_SIMPLE}
          description={
            props.release.status === 1
              ? '还没有设备领取任务：设备在下次检查时领取，通常在几分钟内'
              : '没有设备领取过该版本的任务'
          }
        />
      </Panel>
    )
  const rate = closed > 0 ? `成功率 ${formatRate(of(TASK_STATE_CODE.succeeded) / closed)}，` : ''
  const words = `共 ${total} 个任务，${rate}已安装该版本的设备 ${installed} 台`
  return (
    <Panel title="升级进度">
      <p className="kit-hint kit-sum">{words}</p>
      {limits && <p className="kit-hint">{limits}</p>}
      <Bar counts={counts} />
      <Figures counts={counts} chosen={props.state} onState={props.onState} />
    </Panel>
  )
}

function Bar({ counts }: Pick<Release, 'counts'>) {
  return (
    <div
      className="kit-bar up-bar"
      role="img"
      aria-label={counts.map(({ state, count }) => `${taskStateText(state)} ${count}`).join('，')}
    >
      {counts.map(({ state, count }) => (
        <span
          key={state}
          style={{ flexGrow: count, background: TASK_COLOR[state] }}
          title={`${taskStateText(state)} ${count}`}
        />
      ))}
    </div>
  )
}

interface FiguresProps extends Pick<Release, 'counts'> {
  readonly chosen: number | undefined
  onState(state: number | undefined): void
}

function Figures({ counts, chosen, onState }: FiguresProps) {
  return (
    <ul className="kit-plain kit-row" aria-label="按状态筛选任务">
      {counts.map(({ state, count }) => (
        <li key={state}>
          <button
            type="button"
            className="up-figure"
            aria-pressed={chosen === state}
            onClick={() => onState(chosen === state ? undefined : state)}
          >
            <span className="kit-dot" style={{ background: TASK_COLOR[state] }} aria-hidden />
            {taskStateText(state)} {count}
          </button>
        </li>
      ))}
    </ul>
  )
}
