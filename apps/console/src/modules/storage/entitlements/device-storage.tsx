import { type ChannelQueue, storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { Empty, Button } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Time } from '#kit/record/time.tsx'
import { formatPeriod, ServiceTag, StateTag } from './entitlement.tsx'
import { QueueBars } from '../statistics/queue-bars.tsx'
import {
  MAY_RECORD_TEXT,
  PERMIT_RULE,
  storageDeviceVideos,
  type MonthUsage,
} from '@oms/contract/storage/device-video.ts'
import '../storage.css'
import { useState } from 'react'
import { formatBytes } from '#core/text/format.ts'
import { type ConsentRow, OWN_CONSENT_MESSAGE, playbackConsents } from '@oms/contract/storage/consent.ts'
import { call } from '#core/api/client.ts'
import { Allowed, useSession } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { toast } from '#core/loading/toast.ts'
import { State } from '#kit/record/state.tsx'

/**
 * Shows the cloud storage of a device: the queued packages of every channel and their history. The drawer of an
 * entitlement and a tab of the device page contain this component.
 */
export default function DeviceStorage({ sn }: { deviceId?: number; sn: string }) {
  const { data, error, refetch } = useRead(storageEntitlements.queue, { sn }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  if (data.channels.length === 0)
    return (
      <>
        <Empty description={data.cloudChannels === 0 ? '该型号不支持云存储' : '未开通云存储'} />
        <PermitExplanation sn={data.sn} channel={0} />
      </>
    )
  return (
    <>
      <p className="kit-hint">
        {data.modelName} · {data.tenantName} · 支持 {data.cloudChannels} 个通道
      </p>
      <ViewButton deviceId={data.deviceId} />
      {data.channels.map((each) => (
        <Channel key={each.channel} of={each} sn={data.sn} now={data.now} />
      ))}
    </>
  )
}

const Channel = ({ of, sn, now }: { of: ChannelQueue; sn: string; now: string }) => (
  <section>
    <h3 className="kit-heading">
      通道 {of.channel} <ServiceTag state={of.serviceState} />
      {of.endTime && of.serviceState !== 2 && (
        <small>
          {of.serviceState === 1 ? '服务到期 ' : '已于 '}
          <Time at={of.endTime} />
          {of.serviceState > 2 && ' 到期'}
        </small>
      )}
    </h3>
    <QueueBars past={of.past} planned={of.planned} now={now} label={`${sn} 通道 ${of.channel} 的套餐`} />
    <ol className="kit-items">
      {of.entitlements.map((row) => (
        <li key={row.id}>
          <div>
            <b>{row.packageName}</b> <StateTag state={row.state} />
          </div>
          <div className="kit-muted">
            {row.startTime ? `${row.startTime} 至 ${row.endTime ?? '待定'}` : '恢复后确定起止时间'}
            {row.leftSeconds !== null && ` · 剩余 ${formatPeriod(row.leftSeconds)}`}
          </div>
        </li>
      ))}
    </ol>
    <PermitExplanation sn={sn} channel={of.channel} />
    <VideoCalendar sn={sn} channel={of.channel} today={now.slice(0, 10)} />
  </section>
)

const Result = ({ passed }: { passed: number | null }) => {
  if (passed === null) return <State>未检查</State>
  return passed === 1 ? <State color="success">通过</State> : <State color="error">未通过</State>
}

/**
 * Shows why a camera may not upload now: the rules of a permit with their values, and the last request of the camera.
 */
function PermitExplanation({ sn, channel }: { sn: string; channel: number }) {
  const { data, error, refetch } = useRead(storageDeviceVideos.why, { sn, channel }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  const { askTime, answer, uploadTime, troubleTime, trouble } = data
  const lastRefusal = answer === '' || answer === MAY_RECORD_TEXT ? '' : `，最近一次询问被拒绝：${answer}`
  return (
    <details className="storage-why" open={data.refusal !== '' || lastRefusal !== ''}>
      <summary>
        为什么没有录像：<b>{data.refusal === '' ? `现在可以上传录像${lastRefusal}` : data.refusal}</b>
      </summary>
      <p className="kit-hint">
        {askTime ? `最近一次询问 ${askTime}，回答：${answer}` : '设备从未询问'}
        {` · ${uploadTime ? `最近上传 ${uploadTime}` : '从未上传'}`}
        {troubleTime && ` · ${troubleTime} 设备上报故障：${trouble}`}
      </p>
      <ol className="kit-plain" aria-label={`通道 ${channel} 的录像条件`}>
        {data.rules.map(({ reason, passed, value }) => (
          <li key={reason} className="kit-row">
            <Result passed={passed} />
            <span>{PERMIT_RULE[reason]}</span>
            {value !== '' && <small className="kit-muted">{value}</small>}
          </li>
        ))}
      </ol>
    </details>
  )
}

const WEEKDAYS = ['一', '二', '三', '四', '五', '六', '日'] as const

/** Returns the month this many months later, as `yyyy-MM`. */
function monthAfter(month: string, count: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

/** Returns the days of a month as `yyyy-MM-dd`, after one null for each weekday before the first day. */
function cellsOf(month: string): (string | null)[] {
  const first = new Date(`${month}-01T00:00:00Z`)
  const blanks = (first.getUTCDay() + 6) % 7
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const days = Array.from({ length }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`)
  return [...Array.from({ length: blanks }, () => null), ...days]
}

/** Uploads of a channel per day: figures only. Days whose videos are still stored are marked. */
export function VideoCalendar({ sn, channel, today }: { sn: string; channel: number; today: string }) {
  const thisMonth = today.slice(0, 7)
  const [month, setMonth] = useState(thisMonth)
  const { data, error, refetch } = useRead(storageDeviceVideos.usage, { sn, channel, month }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  const sum = data.days.reduce((bytes, each) => bytes + each.bytes, 0)
  return (
    <section className="kit-stack" aria-label={`通道 ${channel} 的录像日历`}>
      <header className="kit-row">
        <Button size="small" onClick={() => setMonth(monthAfter(month, -1))}>
          上月
        </Button>
        <b>{month}</b>
        <Button size="small" disabled={month >= thisMonth} onClick={() => setMonth(monthAfter(month, 1))}>
          下月
        </Button>
        <span className="kit-muted">
          {data.days.length === 0
            ? '没有上传'
            : `${data.days.length} 天有上传，共 ${formatBytes(sum)}；实底色的日期录像仍可回放`}
        </span>
      </header>
      <Days month={month} days={data.days} />
    </section>
  )
}

function Days({ month, days }: MonthUsage) {
  const byDay = new Map(days.map((each) => [each.day, each]))
  return (
    <div className="storage-days">
      {WEEKDAYS.map((name) => (
        <span key={name} className="storage-weekday">
          {name}
        </span>
      ))}
      {cellsOf(month).map((day, at) => {
        const usage = day === null ? undefined : byDay.get(day)
        if (day === null) return <span key={`blank${at}`} />
        const words = usage && `${usage.segments} 段，${Math.round(usage.seconds / 60)} 分钟，${usage.events} 个事件`
        return (
          <span
            key={day}
            className={usage ? (usage.hasVideo ? 'storage-day-kept' : 'storage-day-gone') : ''}
            title={words}
          >
            {Number(day.slice(8))}
            {usage && <small>{formatBytes(usage.bytes)}</small>}
          </span>
        )
      })}
    </div>
  )
}

const ViewDialog = lazyAfterRender(() => import('../playback/playback-dialogs.tsx'), 'ViewDialog')

const VALID = 1
const NO_CONSENT = '未取得用户授权，不能查看录像。请用户在 App 中授权，或在「授权与查看记录」登记书面授权'

/** Opens a view of a device with its newest valid consent that the account may use. */
function ViewButton({ deviceId }: { readonly deviceId: number }) {
  const uid = useSession()?.uid
  const [isBusy, setBusy] = useState(false)
  const [consent, setConsent] = useState<ConsentRow>()
  const open = async () => {
    setBusy(true)
    const query = { deviceId, state: VALID, pageNum: 1, pageSize: 50 } as const
    // The client shows a failure as a toast.
    const found = await call(playbackConsents.list, query).catch(() => undefined)
    setBusy(false)
    const usable = found?.list.find((row) => row.uid !== uid)
    if (usable) setConsent(usable)
    else if (found) toast.warning(found.list.length > 0 ? OWN_CONSENT_MESSAGE : NO_CONSENT)
  }
  return (
    <Allowed to={playbackConsents.view}>
      <Button size="small" loading={isBusy} onClick={open}>
        查看录像
      </Button>
      {consent && <ViewDialog consent={consent} onClose={() => setConsent(undefined)} />}
    </Allowed>
  )
}
