import { type AdVersionRow, ads } from '@oms/contract/advertise/ad.ts'
import { CHECKLIST, type CheckPoint, VERSION_STATUS } from '@oms/contract/advertise/ad-rules.ts'
import { Empty, Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Time } from '#kit/record/time.tsx'

const COLOR: Readonly<Record<number, string>> = { 0: 'default', 1: 'warning', 2: 'success', 3: 'error' }
const HASH_SHOWN = 12

/** Submitted versions of an ad with their review, newest first. */
export function AdVersions({ id }: { id: number }) {
  const { data, error, refetch } = useRead(ads.versions, { id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  if (data.list.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有提交过审核" />
  return (
    <ul className="kit-items">
      {data.list.map((version) => (
        <Version key={version.verNo} of={version} />
      ))}
    </ul>
  )
}

function Version({ of }: { of: AdVersionRow }) {
  const points = of.checks.map((check) => CHECKLIST[check as CheckPoint]).join('、')
  return (
    <li>
      <div>
        <b>版本 {of.verNo}</b>{' '}
        <Tag color={COLOR[of.auditStatus] ?? 'default'}>{VERSION_STATUS[of.auditStatus as 0 | 1 | 2 | 3]}</Tag>
        <small title={of.contentHash}>校验值 {of.contentHash.slice(0, HASH_SHOWN)}</small>
      </div>
      <small>
        {of.submitName} 提交于 <Time at={of.submitTime} />
        {of.auditTime && (
          <>
            {' · '}
            {of.auditName} 审核于 <Time at={of.auditTime} />
          </>
        )}
      </small>
      {of.auditRemark && <div>审核意见：{of.auditRemark}</div>}
      {points && <small>审核要点：{points}</small>}
    </li>
  )
}
