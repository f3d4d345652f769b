import { loadZone } from '@oms/contract/ad-engine/zone.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { screenPlays } from '@oms/contract/advertise/screen-plays.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Drawer, Empty, Tag } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { DateTimeControl } from '#kit/form/field-date.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect } from '#kit/pickers/record-select.tsx'
import { DayTimeline } from '../timeline/day-strip.tsx'
import { AgendaPlays } from './agenda-plays.tsx'
import { NO_PAIRED_SCREEN, toScreenOption } from '../timeline/target-options.ts'
import './program.css'

type AgendaResult = ResultOf<typeof programChecks.agenda>
const STATUS_COLOR = { playing: 'success', inLoop: 'processing', blocked: 'default' } as const
const STATUS_TEXT = { playing: '正在播放', inLoop: '轮播中', blocked: '未播放' } as const

interface AgendaProps {
  /** The screen whose agenda is shown. Absent: the user selects the screen in the drawer. */
  readonly screen?: { readonly id: number; readonly sn: string }
  onClose(): void
}

/** Shows what a screen plays at a chosen time, and why each of its programs plays or not. */
export function AgendaDrawer({ screen, onClose }: AgendaProps) {
  const [keyword, onSearch] = useKeyword()
  const screens = useRead(programOptions.screens, { keyword }, { quiet: true })
  const [deviceId, setDevice] = useState<number>()
  const [time, setTime] = useState<string>()
  const [sns, setSns] = useState<ReadonlyMap<number, string>>(new Map())
  const fresh = (screens.data?.list ?? []).filter(({ id }) => !sns.has(id))
  if (fresh.length > 0) setSns(new Map([...sns, ...fresh.map(({ id, name }) => [id, name] as const)]))
  const sn = screen?.sn ?? (deviceId === undefined ? undefined : sns.get(deviceId))
  const options = (screens.data?.list ?? []).map(({ devName, ...row }) => toScreenOption({ ...row, detail: devName }))
  return (
    <Drawer open title={screen ? `屏幕日程 · ${screen.sn}` : '屏幕日程'} size="min(880px, 100vw)" onClose={onClose}>
      <div className="ad-agenda-head">
        {screen ? null : (
          <RecordSelect
            label="屏幕"
            placeholder="选择一块屏幕"
            {...(deviceId !== undefined && { value: deviceId })}
            onChange={setDevice}
            source={{ options, read: screens, onSearch, emptyText: NO_PAIRED_SCREEN }}
          />
        )}
        <DateTimeControl placeholder="现在" value={time ?? null} onChange={setTime} />
      </div>
      {sn === undefined ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="选择屏幕后显示正在播放的内容和原因" />
      ) : (
        <Answer sn={sn} time={time} />
      )}
    </Drawer>
  )
}

function Answer({ sn, time }: { sn: string; time: string | undefined }) {
  const read = useRead(
    programChecks.agenda,
    { sn, ...(time && { time }) },
    { quiet: true, staleTime: 0, keepPrevious: false },
  )
  return read.data ? <Shown of={read.data} time={time} /> : <Waiting reads={[read]} rows={5} />
}

const offlineText = ({ lastReportTime }: Pick<AgendaResult, 'lastReportTime'>) =>
  lastReportTime ? `屏幕离线，最后上报 ${lastReportTime}` : '屏幕离线，从未上报'

function Shown({ of, time }: { of: AgendaResult; time: string | undefined }) {
  const { offsetAt } = loadZone(of.zone)
  const local = (at: number) => new Date(at + offsetAt(at)).toISOString()
  const clock = (at: number) => local(at).slice(11, 19)
  const { planned, reported, isPast } = of
  return (
    <div className="ad-check">
      <p className="ad-scope">
        {isPast && `${local(of.at).slice(0, 10)} `}
        {clock(of.at)} {planned.programId > 0 && (isPast ? '应播放' : '播放')} <b>{planned.adName || '暂无播放内容'}</b>
        {planned.programName && `（《${planned.programName}》，${clock(planned.start)} 起 ${planned.ms / 1000} 秒）`}
      </p>
      {isPast && <PastNotes isRecorded={of.isRecorded} />}
      {of.online === 0 && !isPast && <Alert type="warning" showIcon title={offlineText(of)} />}
      {reported && (
        <Alert
          type={of.differs ? 'warning' : 'info'}
          showIcon
          title={`屏幕上报：${clock(reported.since)} 起播放 ${reported.adName || `广告 ${reported.adId}`}（《${reported.programName}》）${of.differs ? '，与计划不一致' : ''}`}
        />
      )}
      <DayTimeline segments={of.segments} from={of.from} to={of.to} zone={of.zone} mark={of.at} />
      <BecauseList because={of.because} isPast={isPast} />
      {(isPast || time === undefined) && (
        <Allowed to={screenPlays.list}>
          <AgendaPlays key={`${of.sn} ${time}`} sn={of.sn} time={time} />
        </Allowed>
      )}
    </div>
  )
}

/** Explains how the plan of a past moment is computed. */
const PastNotes = ({ isRecorded }: Pick<AgendaResult, 'isRecorded'>) => (
  <>
    <Alert
      type="info"
      showIcon
      title="按当时生效的节目单版本和已通过的广告推算。分组成员和屏幕设置按现在计算，广告停用、文件下载失败不计入"
    />
    {!isRecorded && (
      <Alert type="warning" showIcon title="系统升级前没有记录暂停和撤回的时间，计划可能与当时不同，请以实际播放为准" />
    )}
  </>
)

const PAST_STATUS_TEXT = { ...STATUS_TEXT, playing: '应播放' } as const

const BecauseList = ({ because, isPast }: Pick<AgendaResult, 'because' | 'isPast'>) => (
  <ul className="ad-because">
    {because.map(({ programId, name, status, text }) => (
      <li key={programId}>
        <Tag color={STATUS_COLOR[status]}>{(isPast ? PAST_STATUS_TEXT : STATUS_TEXT)[status]}</Tag>
        <span>{name}</span>
        {status === 'blocked' && <span className="ad-quiet">{text}</span>}
      </li>
    ))}
  </ul>
)
