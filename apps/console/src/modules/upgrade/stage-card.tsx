import { STAGE_STATE } from '@oms/contract/upgrade/task-state.ts'
import { formatRolloutPercentage, formatMinuteDuration } from '@oms/contract/upgrade/release-plan.ts'
import { Tag } from 'antd'
import { formatRate } from '#core/text/format.ts'
import { Panel } from '#kit/record/page.tsx'
import { Time } from '#kit/record/time.tsx'
import type { Release } from './release-state.tsx'
import './upgrade.css'

type Stage = Release['stages'][number]
const COLOR: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'success',
  3: 'error',
  4: 'warning',
}
const WAITING = 0
const SKIPPED = 4

const conditionText = ({ minReports, minMinutes, maxMinutes, successPercent, errorPercent }: Stage) =>
  `至少 ${minReports} 个结果、观察 ${formatMinuteDuration(minMinutes)}，成功率 ≥ ${successPercent}% 进入下一阶段，失败率 ≥ ${errorPercent}% 自动暂停；设备都有结果或等满 ${formatMinuteDuration(maxMinutes)}后按已有结果评判`

/** Shows the stages of a release: the conditions and the result of each stage. */
export function StageCard({ stages }: { stages: readonly Stage[] }) {
  const [first] = stages
  if (!first) return null
  const same = stages.every((stage) => conditionText(stage) === conditionText(first))
  return (
    <Panel title="发布阶段">
      {same && <p className="kit-hint">每阶段{conditionText(first)}</p>}
      <ol className="kit-plain up-stages" aria-label="发布阶段">
        {stages.map((stage) => (
          <li key={stage.seq} className="kit-box up-stage" data-state={stage.state}>
            <div className="kit-row kit-apart">
              <strong>{formatRolloutPercentage(stage.percent)}</strong>
              <Tag color={COLOR[stage.state] ?? 'default'}>
                {STAGE_STATE[stage.state as keyof typeof STAGE_STATE] ?? stage.state}
              </Tag>
            </div>
            {!same && <p>{conditionText(stage)}</p>}
            <Outcome {...stage} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function Outcome({ state, succeeded, failed, minReports, startTime, judgeTime }: Stage) {
  const reports = succeeded + failed
  if (state === WAITING) return null
  return (
    <>
      <p>
        结果 {reports} / {minReports}，失败 {failed}
        {reports > 0 && `，成功率 ${formatRate(succeeded / reports)}`}
      </p>
      {(judgeTime ?? startTime) && (
        <p>
          <Time at={judgeTime ?? startTime} /> {judgeTime ? (state === SKIPPED ? '跳过' : '评判') : '开始'}
        </p>
      )}
    </>
  )
}
