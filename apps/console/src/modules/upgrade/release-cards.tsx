import { TASK_STATE_CODE, STAGE_STATE } from '@oms/contract/upgrade/task-state.ts'
import {
  describeLimits,
  describeStageSize,
  formatDailyWindow,
  describePlan,
  formatRolloutPercentage,
  formatMinuteDuration,
} from '@oms/contract/upgrade/release-plan.ts'
import { formatRate } from '#core/text/format.ts'
import { Panel } from '#kit/record/page.tsx'
import { type Release, TASK_COLOR, taskStateText, ReleaseState } from './release.tsx'
import { useDryRun } from './dry-run.tsx'
import { toInitialValues, toReleaseInput } from './stage-editor.tsx'
import './upgrade.css'
import { Release as Schema } from '@oms/contract/upgrade/upgrade-release.ts'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time, Time } from '#kit/record/time.tsx'
import { State } from '#kit/record/state.tsx'

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
        <p className="kit-muted">
          {props.release.status === 1
            ? '还没有设备领取任务：设备在下次检查时领取，通常在几分钟内'
            : '没有设备领取过该版本的任务'}
        </p>
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

const { item, wide } = createDescriptions(Schema)
const none = (value: number | null, unit: string) => (value === null ? '不限' : `${value} ${unit}`)
const titled = <T extends object>(line: T, title: string) => ({ ...line, title })
const ITEMS = [
  item('mode', (_, row) => <ReleaseState {...row} />),
  item('percent', (percent) => formatRolloutPercentage(percent)),
  titled(
    item('tenants', (tenants) => tenants.map(({ name }) => name).join('、') || '不限'),
    '客户',
  ),
  titled(
    item('groups', (groups) => groups.map(({ name }) => name).join('、') || '不限'),
    '设备分组',
  ),
  titled(
    item('startTime', (at) => at ?? '立即'),
    '开始时间',
  ),
  titled(
    item('endTime', (at) => at ?? '不结束'),
    '结束时间',
  ),
  titled(
    item('dailyStart', (start, { dailyEnd }) => formatDailyWindow(start, dailyEnd) || '全天'),
    '每日时间段',
  ),
  titled(
    item('perMinute', (value) => none(value, '台')),
    '每分钟下发上限',
  ),
  titled(
    item('maxDownloads', (value) => none(value, '台')),
    '同时下载上限',
  ),
  item('bandwidth', (value) => (value === null ? '不限' : `${value} MB/s（每个服务进程）`)),
  titled(
    item('timeoutMinutes', (value) => formatMinuteDuration(value)),
    '任务超时',
  ),
  titled(
    item('autoRetries', (value) => `${value} 次`),
    '自动重试',
  ),
  titled(
    item('needConfirm', (value) => (value ? '需要' : '不需要')),
    '设备用户确认',
  ),
  item('submitByName'),
  item('submitTime', time),
  item('auditByName'),
  item('auditTime', time),
  wide('auditRemark'),
]

/** Shows the settings of a release as sentences and as a table, with the operation history. */
export function ReleasePlan({ release }: { release: Release }) {
  const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name)
  const plan = { ...release, tenants: names(release.tenants), groups: names(release.groups) }
  return (
    <div className="kit-halves">
      <Panel title="发布策略">
        <div className="kit-block kit-note">
          {describePlan(plan, { needsAudit: false }).map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
        <Descriptions row={release} items={ITEMS} />
      </Panel>
      <Panel title="操作历史">
        <RecordHistory bizType={release.kind === 2 ? 'software' : 'ota'} bizId={release.otaId} />
      </Panel>
    </div>
  )
}

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
export function StageCard({ release }: { release: Release }) {
  const { stages } = release
  const waits = stages.some(({ state }) => state === WAITING)
  const dryRun = useDryRun(release.otaId, toReleaseInput(toInitialValues(release)), waits)
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
              <State color={COLOR[stage.state]}>
                {STAGE_STATE[stage.state as keyof typeof STAGE_STATE] ?? stage.state}
              </State>
            </div>
            {!same && <p>{conditionText(stage)}</p>}
            {stage.state === WAITING && (
              <p>
                {describeStageSize(
                  dryRun.data?.stages.find(({ percent }) => percent === stage.percent)?.count,
                  stage.minReports,
                )}
              </p>
            )}
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
