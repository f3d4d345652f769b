import { Release as Schema } from '@oms/contract/upgrade/upgrade-release.ts'
import {
  formatDailyWindow,
  describePlan,
  formatRolloutPercentage,
  formatMinuteDuration,
} from '@oms/contract/upgrade/release-plan.ts'
import { Panel } from '#kit/record/page.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'
import { type Release, ReleaseState } from './release-state.tsx'

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
