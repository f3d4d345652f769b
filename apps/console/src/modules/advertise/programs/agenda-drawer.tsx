import { loadZone } from '@oms/contract/advertise/engine/zone.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Drawer, Empty, Tag } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { DateTimeControl } from '#kit/form/field-date.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect } from '#kit/pickers/record-select.tsx'
import { DayTimeline } from '../timeline/day-strip.tsx'
import { NO_PAIRED_SCREEN, toScreenOption } from '../timeline/target-fields.tsx'

type AgendaResult = ResultOf<typeof programChecks.agenda>
const STATUS_COLOR = { playing: 'success', inLoop: 'processing', blocked: 'default' } as const
const WORDS = { playing: '正在播放', inLoop: '轮播中', blocked: '未播放' }
const FUTURE_WORD = '将播放'

interface AgendaProps {
  /** The screen whose agenda is shown. Absent: the user selects the screen in the drawer. */
  readonly screen?: { readonly id: number; readonly sn: string }
  onClose(): void
}

/** Shows what a screen plays now or later, and why each of its programs plays or not. */
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
      <div className="kit-row kit-note">
        {screen ? null : (
          <div className="kit-main">
            <RecordSelect
              label="屏幕"
              placeholder="选择一块屏幕"
              {...(deviceId !== undefined && { value: deviceId })}
              onChange={setDevice}
              source={{ options, read: screens, onSearch, emptyText: NO_PAIRED_SCREEN }}
            />
          </div>
        )}
        <div style={{ width: 200 }}>
          <DateTimeControl placeholder="现在" value={time ?? null} onChange={setTime} />
        </div>
      </div>
      {sn === undefined ? <Empty description="选择屏幕后显示正在播放的内容和原因" /> : <Answer sn={sn} time={time} />}
    </Drawer>
  )
}

function Answer({ sn, time }: { sn: string; time: string | undefined }) {
  const read = useRead(
    programChecks.agenda,
    { sn, ...(time && { time }) },
    { quiet: true, staleTime: 0, keepPrevious: false },
  )
  return read.data ? <Shown of={read.data} /> : <Waiting reads={[read]} rows={5} />
}

const offlineText = ({ lastReportTime }: Pick<AgendaResult, 'lastReportTime'>) =>
  lastReportTime ? `屏幕离线，最后上报 ${lastReportTime}` : '屏幕离线，从未上报'

const Shown = ({ of }: { of: AgendaResult }) => (
  <div className="kit-stack">
    <Moment of={of} />
    {of.online === 0 && <Alert type="warning" showIcon title={offlineText(of)} />}
    <Reported of={of} />
    <DayTimeline segments={of.segments} from={of.from} to={of.to} zone={of.zone} mark={of.at} />
    <small className="kit-muted">
      时间轴按所选时刻生效的节目单推算全天，当天其他时刻的发布、暂停和撤回不反映在其中
    </small>
    <BecauseList because={of.because} isNow={of.at === of.now} />
  </div>
)

/** Formats an instant as `yyyy-MM-ddTHH:mm:ss` in the zone of the screen. */
const formatAt = (at: number, zone: string) => new Date(at + loadZone(zone).offsetAt(at)).toISOString().slice(0, 19)
const formatClock = (at: number, zone: string) => formatAt(at, zone).slice(11)

/** Shows the asked moment and what the screen plays then. */
function Moment({ of }: { of: AgendaResult }) {
  const { planned, zone, at } = of
  const isNow = at === of.now
  return (
    <>
      {!of.isConsoleZone && (
        <Alert
          type="info"
          showIcon
          title={`时间均为屏幕所在时区 ${zone} 的时间，屏幕现在是 ${formatAt(of.now, zone).slice(0, 16).replace('T', ' ')}`}
        />
      )}
      <p className="kit-sum">
        {!isNow && `${formatAt(at, zone).slice(0, 10)} `}
        {formatClock(at, zone)} {planned.programId > 0 && (isNow ? '播放' : FUTURE_WORD)}{' '}
        <b>{planned.adName || '暂无播放内容'}</b>
        {planned.programName &&
          `（《${planned.programName}》，${formatClock(planned.start, zone)} 起 ${planned.ms / 1000} 秒）`}
      </p>
    </>
  )
}

/** Shows the last report of the screen, and whether it differs from the plan. */
const Reported = ({ of: { reported, differs, zone } }: { of: AgendaResult }) =>
  reported && (
    <Alert
      type={differs ? 'warning' : 'info'}
      showIcon
      title={`屏幕上报：${formatClock(reported.since, zone)} 起播放 ${reported.adName || `广告 ${reported.adId}`}（《${reported.programName}》）${differs ? '，与计划不一致' : ''}`}
    />
  )

const BecauseList = ({ because, isNow }: Pick<AgendaResult, 'because'> & { isNow: boolean }) => (
  <ul className="kit-items">
    {because.map(({ programId, name, status, text }) => (
      <li key={programId} className="kit-row">
        <Tag color={STATUS_COLOR[status]}>{status === 'playing' && !isNow ? FUTURE_WORD : WORDS[status]}</Tag>
        <span>{name}</span>
        {status === 'blocked' && <span className="kit-muted">{text}</span>}
      </li>
    ))}
  </ul>
)
