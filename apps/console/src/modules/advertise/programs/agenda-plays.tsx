import { loadZone } from '@oms/contract/ad-engine/zone.ts'
import {
  PLAY_RESULT_NAME,
  REJECT_REASON_TEXT,
  ScreenPlay,
  type ScreenPlayRow,
  screenPlays,
} from '@oms/contract/advertise/screen-plays.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import { Table, Tag } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'

type Plays = ResultOf<typeof screenPlays.list>
const PAGE_SIZE = 20
const RESULT_COLOR: Readonly<Record<number, string>> = { 1: 'success', 2: 'warning', 3: 'error' }

/** Lists the plays that a screen reported on the day of a moment, beginning with the page of that moment. */
export function AgendaPlays({ sn, time }: { sn: string; time: string | undefined }) {
  const [pageNum, setPage] = useState<number>()
  const read = useRead(
    screenPlays.list,
    { sn, pageSize: PAGE_SIZE, ...(time && { time }), ...(pageNum !== undefined && { pageNum }) },
    { quiet: true, staleTime: 0 },
  )
  return (
    <section className="ad-plays">
      <h3>实际播放</h3>
      {read.data ? <PlayTable of={read.data} onPage={setPage} /> : <Waiting reads={[read]} rows={4} />}
    </section>
  )
}

/** Returns a sentence with the number of accepted and rejected reports of the day. */
function summaryOf({ day, keptFrom, total, rejects }: Plays) {
  if (total === 0 && day < keptFrom) return `单次播放只保留到 ${keptFrom}，更早的播放请在统计分析中查看`
  const rejected = rejects.reduce((sum, { count }) => sum + count, 0)
  const reasons = rejects.map(
    ({ reason, count }) => `${REJECT_REASON_TEXT[reason as keyof typeof REJECT_REASON_TEXT] ?? reason} ${count} 条`,
  )
  const accepted = total === 0 ? `${day} 没有播放上报` : `${day} 共 ${total.toLocaleString('en')} 条播放上报`
  return rejected === 0 ? accepted : `${accepted}；另有 ${rejected} 条上报未被接受：${reasons.join('，')}`
}

function PlayTable({ of, onPage }: { of: Plays; onPage(pageNum: number): void }) {
  const { list, total, pageNum, at } = of
  // `ms` of a row with several plays is the sum of all plays, so its end is unknown.
  const isAt = (play: ScreenPlayRow) => play.count === 1 && play.at <= at && at < play.at + play.ms
  return (
    <>
      <p className="ad-quiet">{summaryOf(of)}</p>
      {total > 0 && (
        <Table
          size="small"
          rowKey="reportId"
          columns={columnsOf(of.zone)}
          dataSource={list}
          rowClassName={(play) => (isAt(play) ? 'ad-play-at' : '')}
          scroll={{ x: 'max-content' }}
          pagination={{
            current: pageNum,
            pageSize: PAGE_SIZE,
            total,
            showSizeChanger: false,
            hideOnSinglePage: true,
            onChange: onPage,
          }}
        />
      )}
    </>
  )
}

const title = (field: keyof ScreenPlayRow) => about(ScreenPlay, field).title
const seconds = (ms: number) => (ms / 1000).toFixed(1)

function columnsOf(zone: string) {
  const { offsetAt } = loadZone(zone)
  const clock = (at: number) => new Date(at + offsetAt(at)).toISOString().slice(11, 19)
  return [
    { key: 'at', title: title('at'), dataIndex: 'at', render: clock },
    {
      key: 'adName',
      title: title('adName'),
      render: ({ adName, adId }: ScreenPlayRow) => adName || `广告 ${adId}`,
    },
    { key: 'isCounted', title: title('isCounted'), render: (play: ScreenPlayRow) => <Counted play={play} /> },
    {
      key: 'ms',
      title: title('ms'),
      align: 'right' as const,
      render: ({ ms, planned }: ScreenPlayRow) => `${seconds(ms)} / ${seconds(planned)} 秒`,
    },
    { key: 'count', title: title('count'), dataIndex: 'count', align: 'right' as const },
    {
      key: 'programName',
      title: title('programName'),
      render: ({ programName, programId, programVer }: ScreenPlayRow) =>
        `${programName || `节目单 ${programId}`} · 版本 ${programVer}`,
    },
  ]
}

/** Shows the result of a play, and whether the play counts in the statistics. */
function Counted({ play: { result, clock, isCounted } }: { play: ScreenPlayRow }) {
  const isUntrusted = clock === 0
  const counted = isUntrusted ? '只计次数，不计时长和时段' : '计入'
  return (
    <span className="ad-tags">
      <Tag color={RESULT_COLOR[result] ?? 'default'}>{PLAY_RESULT_NAME[result as 1]}</Tag>
      {isUntrusted && <Tag color="warning">未校时</Tag>}
      <span className="ad-quiet">{isCounted ? counted : '不计入'}</span>
    </span>
  )
}
