import { AD_STAT_GROUP, AD_WEEKDAY, AdStatRow, adStats } from '@oms/contract/advertise/statistics.ts'
import { Button, Segmented } from 'antd'
import { useNavigate } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { formatPercentage } from '#core/text/format.ts'
import { ExportButton } from '#kit/list/export-button.tsx'
import { useList } from '#kit/list/use-list.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { type Column, createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import {
  type AdStatFilter,
  statisticsPath,
  detailPath,
  formatHour,
  formatShownTime,
  describeUntrustedPlays,
} from './statistics-filter.ts'

const { col } = createColumns(AdStatRow)
const GROUPS = Object.entries(AD_STAT_GROUP).map(([value, label]) => ({ value, label }))
/** Help texts of the groupings by values that may change. Past plays count for the present value. */
const GROUP_HELP: Readonly<Record<string, string>> = {
  2: '按屏幕当前所在的分组汇总，已删除的设备和分组按删除前的成员汇总',
  3: '按屏幕当前的标签汇总，已删除的设备按删除前的标签汇总',
  4: '按广告当前填写的广告主汇总',
  5: '按广告当前填写的合同编号汇总',
}
/** Values of `AD_STAT_GROUP` that group by an attribute of the ads. */
const AD_ATTRIBUTE_GROUPS: readonly string[] = ['4', '5']
const count = { align: 'right', width: 100 } as const
const number = (value: number | null) => (value === null ? '-' : value.toLocaleString())

const FIGURES = [
  col('plays', number, { ...count, sort: true }),
  col('complete', number, { ...count, sort: true, hidden: true }),
  col('partial', number, { ...count, sort: true }),
  col('failed', number, { ...count, sort: true, width: 80 }),
  col('untrusted', number, { ...count, hidden: true, help: '屏幕时钟不可信的播放，按上报日期计入播放次数' }),
  col('completeRate', formatPercentage, { ...count, title: '完整率', sort: true, help: '完整播放 ÷ 已校时的播放' }),
  col('ms', formatShownTime, { ...count, width: 130, sort: true }),
  col('screens', number, { ...count, width: 110, sort: true }),
  col('share', formatPercentage, {
    ...count,
    width: 120,
    title: '实际份额',
    sort: true,
    help: '占这些屏幕全部播放时长的比例',
  }),
  col('exposure', number, { ...count, width: 178, sort: true, help: '播放次数 × 播放时的屏幕受众系数' }),
  col('firstTime', { width: 160, hidden: true }),
  col('lastTime', { width: 160 }),
]

/** Columns that name the row. A name opens the table filtered by this row. */
function namesOf(filter: AdStatFilter, groupBy: string): Column<AdStatRow>[] {
  const link = (text: string, more: Record<string, string | number | null>) =>
    Object.values(more).includes(null) ? (
      text
    ) : (
      <PermittedLink to={detailPath(filter, more as Record<string, string>)}>{text}</PermittedLink>
    )
  const sum = <b>合计</b>
  if (groupBy !== '0')
    return [
      col('name', (name, row) => (row.key === '' ? sum : link(name, findRowFilter(row))), {
        title: AD_STAT_GROUP[Number(groupBy) as 1],
        width: 220,
        ...(groupBy in GROUP_HELP && { help: GROUP_HELP[groupBy]! }),
      }),
    ]
  return [
    col('name', (name, { key, programId }) => (key === '' ? sum : link(name, { programId })), {
      title: '节目单',
      width: 190,
    }),
    col('detail', (detail, { key, adId }) => (key === '' ? '' : link(detail, { adId })), { width: 190 }),
  ]
}

const ROW_FILTERS = ['sn', 'groupId', 'tag', 'advertiser', 'contractNo'] as const

/** Returns the filter that selects only this row. The value of the filter is null when no filter selects the row. */
function findRowFilter(row: AdStatRow): Record<string, string | number | null> {
  const field = ROW_FILTERS.find((each) => row[each] !== null)
  return field ? { [field]: row[field] } : { sn: null }
}

/** Table of plays by ad, screen, group, tag, advertiser or contract number, with the row of totals on top. */
export function StatDetail({ filter }: { filter: AdStatFilter }) {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const list = useList(adStats.detail, filter as never)
  const groupBy = params.get('groupBy') ?? '0'
  const isByHour = params.has('weekday') || params.has('hour')
  const sum = useSum(list.query, list.table)
  const hours = Object.fromEntries([...params].filter(([key]) => key === 'weekday' || key === 'hour'))
  const onGroup = (next: string) =>
    void navigate(detailPath(filter, { ...hours, ...(next !== '0' && { groupBy: next }) }))
  return (
    <>
      {isByHour && <HourNote filter={filter} params={params} />}
      <DataTable
        {...list.table}
        onClear={() => void navigate(statisticsPath({ view: 'detail' }))}
        rows={sum && list.table.rows.length > 0 ? [sum, ...list.table.rows] : list.table.rows}
        name={`ad-statistics-${groupBy}`}
        rowKey="key"
        columns={[...namesOf(filter, groupBy), ...FIGURES]}
        actions={<GroupChoice value={groupBy} isByHour={isByHour} onChange={onGroup} />}
        tools={<ExportButton to={adStats.export} query={list.query} name="广告播放统计" columns={[]} />}
        empty={{ text: '没有符合条件的播放记录' }}
      />
      {sum && sum.untrusted > 0 && <p className="kit-hint">{describeUntrustedPlays(sum.untrusted)}</p>}
    </>
  )
}

interface GroupChoiceProps {
  readonly value: string
  /** True when the table shows plays of hours, which are not counted by screen. */
  readonly isByHour: boolean
  onChange(value: string): void
}

const GroupChoice = ({ value, isByHour, onChange }: GroupChoiceProps) => (
  <div className="kit-row">
    <span aria-hidden>分组方式</span>
    <Segmented
      aria-label="分组方式"
      options={
        isByHour ? GROUPS.filter((group) => group.value === '0' || AD_ATTRIBUTE_GROUPS.includes(group.value)) : GROUPS
      }
      value={value}
      onChange={onChange}
    />
  </div>
)

/** Returns the row of totals, which the response contains in addition to the page of rows. */
function useSum(query: object, { pageNum, pageSize }: { pageNum: number; pageSize: number }) {
  const { data } = useRead(adStats.detail, { ...query, pageNum, pageSize } as never, { quiet: true })
  return data?.sum
}

/** Names the hour of the week to which the table is limited. */
function HourNote({ filter, params }: { filter: AdStatFilter; params: URLSearchParams }) {
  const navigate = useNavigate()
  const { startDate, endDate } = filter
  const weekday = AD_WEEKDAY[Number(params.get('weekday')) as 1] ?? (startDate === endDate ? startDate : '每天')
  const hour = params.get('hour')
  const span = hour === null ? '' : ` ${formatHour(Number(hour))}–${formatHour(Number(hour) + 1)}`
  return (
    <p className="kit-card" role="status">
      时段：{weekday}
      {span}
      <Button type="link" size="small" onClick={() => void navigate(detailPath(filter))}>
        清除时段
      </Button>
    </p>
  )
}
