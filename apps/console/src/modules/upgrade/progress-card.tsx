import { TASK } from '@oms/contract/ota-task.ts'
import { Empty } from 'antd'
import { Panel } from '#kit/page.tsx'
import { type Release, TASK_COLOR, taskStateText } from './release-state.tsx'
import { limitsInWords } from './release-words.ts'
import './upgrade.css'

/** All tasks as one bar, segment by state; a click on a figure filters the list. */
export function ProgressCard(props: {
  release: Release
  state: number | undefined
  onState(state: number | undefined): void
}) {
  const { counts, installed } = props.release
  const limits = limitsInWords(props.release)
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const of = (state: number) => counts.find((each) => each.state === state)?.count ?? 0
  const closed = of(TASK.succeeded) + of(TASK.failed)
  if (total === 0)
    return (
      <Panel title="升级进度">
        <Empty
          image={Empty.PRESENTED_IMAGE_SIMPLE}
          description="还没有设备领取任务：设备在下次检查时领取，通常在几分钟内"
        />
      </Panel>
    )
  const rate = closed > 0 ? `成功率 ${((of(TASK.succeeded) * 100) / closed).toFixed(1)}%，` : ''
  const words = `共 ${total} 个任务，${rate}已安装该版本的设备 ${installed} 台`
  return (
    <Panel title="升级进度">
      <p className="up-count">{words}</p>
      {limits && <p className="up-demand">{limits}</p>}
      <div
        className="up-bar"
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
      <ul className="up-figures" aria-label="按状态筛选任务">
        {counts.map(({ state, count }) => (
          <li key={state}>
            <button
              type="button"
              className="up-figure"
              aria-pressed={props.state === state}
              onClick={() => props.onState(props.state === state ? undefined : state)}
            >
              <span className="up-dot" style={{ background: TASK_COLOR[state] }} aria-hidden />
              {taskStateText(state)} {count}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
