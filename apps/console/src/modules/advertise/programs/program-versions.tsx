import { type ProgramListRow, type ProgramVersionView, programs } from '@oms/contract/advertise/program.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import {
  formatDuration,
  PROGRAM_VERSION_STATE,
  PROGRAM_VERSION_STATE_NAME,
} from '@oms/contract/advertise/program-words.ts'
import { Button, Empty, Tag } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Time } from '#kit/record/time.tsx'
import { formatTarget, formatPlayTimes } from './program-cells.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { SmallPager } from '../small-pager.tsx'

const PAGE_SIZE = 10
const COLOR: Readonly<Record<number, string>> = { 1: 'gold', 2: 'success', 3: 'default', 4: 'error' }

const MAY_REPUBLISH: readonly number[] = [
  PROGRAM_VERSION_STATE.replaced,
  PROGRAM_VERSION_STATE.rejected,
  PROGRAM_VERSION_STATE.withdrawn,
]

/** Published versions of a program, newest first. */
export function ProgramVersions({ row }: { row: ProgramListRow }) {
  const [pageNum, setPage] = useState(1)
  const [again, setAgain] = useState<number>()
  const { data, error, refetch } = useRead(
    programs.versions,
    { id: row.id, pageNum, pageSize: PAGE_SIZE },
    { quiet: true, keepPrevious: false },
  )
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有发布过" />
  return (
    <>
      <ul className="kit-items">
        {data.list.map((version) => (
          <Version
            key={version.verNo}
            of={version}
            isReadOnly={row.isBeyondScope}
            onRepublish={() => setAgain(version.verNo)}
          />
        ))}
      </ul>
      {data.total > PAGE_SIZE && (
        <SmallPager pages={Math.ceil(data.total / PAGE_SIZE)} pageNum={pageNum} onPage={setPage} />
      )}
      {again !== undefined && <PublishDialog id={row.id} verNo={again} onClose={() => setAgain(undefined)} />}
    </>
  )
}

interface VersionProps {
  readonly of: ProgramVersionView
  readonly isReadOnly: boolean
  onRepublish(): void
}

function Version({ of, isReadOnly, onRepublish }: VersionProps) {
  const { state, verNo, dateFrom, dateTo, adNames, totalDuration, screens } = of
  return (
    <li>
      <div>
        <b>版本 {verNo}</b> <Tag color={COLOR[state] ?? 'default'}>{PROGRAM_VERSION_STATE_NAME[state as 1]}</Tag>
        {!isReadOnly && MAY_REPUBLISH.includes(state) && (
          <Allowed to={programPublish.republish}>
            <Button type="link" size="small" onClick={onRepublish}>
              重新发布
            </Button>
          </Allowed>
        )}
      </div>
      <div>
        {dateFrom} ~ {dateTo} · {formatPlayTimes(of)} · {formatTarget(of)}
        {screens !== null && ` · ${screens} 块屏幕`}
        {of.resolution && ` · 分辨率${of.resolution}`}
      </div>
      <div className="kit-muted">
        {adNames.length} 条 · {formatDuration(totalDuration)} · {adNames.slice(0, 5).join('、')}
        {adNames.length > 5 && '等'}
      </div>
      <small>
        {of.publishByName} 发布于 <Time at={of.publishTime} />
        {state !== PROGRAM_VERSION_STATE.waiting && of.auditTime && (
          <>
            {' '}
            · {of.auditByName} 审批于 <Time at={of.auditTime} />
            {of.auditRemark && `：${of.auditRemark}`}
          </>
        )}
      </small>
    </li>
  )
}
