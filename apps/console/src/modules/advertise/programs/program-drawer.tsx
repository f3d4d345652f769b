import { type ProgramItemView, type ProgramListRow, ProgramRow, programs } from '@oms/contract/advertise/program.ts'
import { formatDayParts, formatDuration, formatWeekdays } from '@oms/contract/advertise/program-words.ts'
import { Tabs, Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time } from '#kit/record/time.tsx'
import { PlayDates, ProgramStatus, formatTarget, PlayMode } from './program-cells.tsx'
import { ProgramVersions } from './program-versions.tsx'

const { item, wide } = createDescriptions(ProgramRow)
const ITEMS = [
  item('programName'),
  item('status', (_, row) => <ProgramStatus row={row} />),
  item('itemCount'),
  item('totalDuration', (seconds) => formatDuration(seconds)),
  { ...item('dateFrom', (_, row) => <PlayDates row={row} />), title: '投放日期' },
  item('weekdays', formatWeekdays),
  item('dayParts', formatDayParts),
  item('playMode', (mode) => <PlayMode mode={mode} />),
  item('priority'),
  item('shareOfVoice', (share) => (share === null ? '' : `${share}%`)),
  item('insertMode'),
  item('isDefault'),
  item('tenantName'),
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
    <DetailDrawer {...props} rowKey="id" title={({ programName }) => programName}>
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
    {enableStat === 0 && <Tag>已停用</Tag>}
  </li>
)
