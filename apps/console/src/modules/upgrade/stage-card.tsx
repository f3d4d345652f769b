import { STAGE_STATE } from '@oms/contract/ota-task.ts'
import { Tag } from 'antd'
import { Panel } from '#kit/page.tsx'
import { Time } from '#kit/time.tsx'
import type { Release } from './release-state.tsx'
import { shareText, spanText } from './release-words.ts'
import './upgrade.css'

type Stage = Release['stages'][number]
const COLOR: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'success',
  3: 'error',
  4: 'warning',
}

/** The stages beside each other: what each needs, and what came of it. */
export function StageCard({ stages }: { stages: readonly Stage[] }) {
  if (stages.length === 0) return null
  return (
    <Panel title="发布阶段">
      <ol className="up-stages">
        {stages.map((stage) => (
          <li key={stage.seq} className="up-stage" data-state={stage.state}>
            <div className="up-stage-head">
              <strong>{shareText(stage.percent)}</strong>
              <Tag color={COLOR[stage.state] ?? 'default'}>
                {STAGE_STATE[stage.state as keyof typeof STAGE_STATE] ?? stage.state}
              </Tag>
            </div>
            <StageWords {...stage} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function StageWords({
  state,
  succeeded,
  failed,
  minReports,
  minMinutes,
  successPercent,
  errorPercent,
  ...times
}: Stage) {
  const reports = succeeded + failed
  const rate = reports > 0 ? `，成功率 ${((succeeded * 100) / reports).toFixed(1)}%` : ''
  return (
    <>
      <p>
        成功率 ≥ {successPercent}% 通过，失败率 ≥ {errorPercent}% 暂停，观察 {spanText(minMinutes)}
      </p>
      {state !== 0 && (
        <p>
          结果 {reports} / {minReports}，失败 {failed}
          {rate}
        </p>
      )}
      {times.startTime && (
        <p>
          <Time at={times.startTime} /> 开始
        </p>
      )}
      {times.judgeTime && (
        <p>
          <Time at={times.judgeTime} /> {state === 4 ? '跳过' : '评判'}
        </p>
      )}
    </>
  )
}
