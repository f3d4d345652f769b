import {
  type ProgramItemView,
  type ProgramListRow,
  ProgramRow,
  programs,
  type ProgramVersionView,
} from '@oms/contract/advertise/program.ts'
import {
  formatDayParts,
  formatDuration,
  formatWeekdays,
  PROGRAM_VERSION_STATE,
  PROGRAM_VERSION_STATE_NAME,
} from '@oms/contract/advertise/program-words.ts'
import { Tabs, Tag, Button, Empty } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time, Time } from '#kit/record/time.tsx'
import { PlayDates, ProgramStatus, formatTarget, PlayMode, formatPlayTimes } from './program-cells.tsx'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { useState } from 'react'
import { Allowed } from '#core/auth/session.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { SmallPager } from '../small-pager.tsx'
import { State } from '#kit/record/state.tsx'

const { item, wide } = createDescriptions(ProgramRow)
const ITEMS = [
  item('itemCount'),
  item('totalDuration', (seconds) => formatDuration(seconds)),
  item('weekdays', formatWeekdays),
  item('dayParts', formatDayParts),
  item('playMode', (mode) => <PlayMode mode={mode} />),
  item('priority'),
  item('shareOfVoice', (share) => (share === null ? '' : `${share}%`)),
  item('insertMode'),
  item('isDefault'),
  item('publishedVer', (version) => (version === 0 ? '未发布' : version)),
  item('updateTime', time),
  wide('description'),
]

/** Program drawer: content, versions and history. */
export function ProgramDrawer(props: {
  rows: readonly ProgramListRow[]
  row: ProgramListRow | undefined
  onRow(row: ProgramListRow | undefined): void
}) {
  return (
    <DetailDrawer
      {...props}
      rowKey="id"
      title={({ programName }) => programName}
      head={(row) => ({
        state: <ProgramStatus row={row} />,
        facts: [
          ['投放日期', <PlayDates key="dates" row={row} />],
          ['客户', <TenantLink key="tenant" id={row.tenantId} name={row.tenantName} />],
        ],
      })}
    >
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Details key={row.id} row={row} /> },
            { key: 'versions', label: '版本', children: <ProgramVersions key={row.id} row={row} /> },
            createHistoryTab('adProgram', row.id),
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Details({ row }: { row: ProgramListRow }) {
  const { data, error, refetch } = useRead(programs.get, { id: row.id }, { quiet: true, keepPrevious: false })
  return (
    <>
      <Descriptions row={row} items={ITEMS} />
      {data ? (
        <>
          <section>
            <h3 className="kit-heading">
              投放对象 · {formatTarget(row)} · 分辨率{data.resolution || '不限'}
            </h3>
            {row.isDefault === 0 && <TargetTags targets={data.targets} />}
          </section>
          <section>
            <h3 className="kit-heading">广告</h3>
            <ol className="kit-items">
              {data.items.map((each) => (
                <Item key={each.itemId} item={each} />
              ))}
            </ol>
          </section>
        </>
      ) : (
        <Waiting reads={[{ error, refetch }]} rows={3} />
      )}
    </>
  )
}

const MOST_SHOWN = 20

const TargetTags = ({ targets }: { targets: readonly { id: number; name: string }[] }) => (
  <TagList>
    {targets.slice(0, MOST_SHOWN).map(({ id, name }) => (
      <Tag key={id}>{name}</Tag>
    ))}
    {targets.length > MOST_SHOWN && `等 ${targets.length} 个`}
  </TagList>
)

const Item = ({
  item: { adName, duration, weight, maxPlaysPerHour, approvedVer, enableStat },
}: {
  item: ProgramItemView
}) => (
  <li className="kit-row">
    <span>{adName}</span>
    <span className="kit-muted">
      {formatDuration(duration)}
      {weight > 1 && ` · 权重 ${weight}`}
      {maxPlaysPerHour > 0 && ` · 每小时最多 ${maxPlaysPerHour} 次`}
    </span>
    {approvedVer === 0 && <Tag color="error">未通过审核</Tag>}
    {enableStat === 0 && <State>已停用</State>}
  </li>
)

const PAGE_SIZE = 10
const COLOR: Readonly<Record<number, string>> = { 1: 'gold', 2: 'success', 3: 'default', 4: 'error' }

const MAY_REPUBLISH: readonly number[] = [
  PROGRAM_VERSION_STATE.replaced,
  PROGRAM_VERSION_STATE.rejected,
  PROGRAM_VERSION_STATE.withdrawn,
]

/** Published versions of a program, newest first. */
function ProgramVersions({ row }: { row: ProgramListRow }) {
  const [pageNum, setPage] = useState(1)
  const [again, setAgain] = useState<number>()
  const { data, error, refetch } = useRead(
    programs.versions,
    { id: row.id, pageNum, pageSize: PAGE_SIZE },
    { quiet: true, keepPrevious: false },
  )
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty description="还没有发布过" />
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
        <b>版本 {verNo}</b> <State color={COLOR[state]}>{PROGRAM_VERSION_STATE_NAME[state as 1]}</State>
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
