import { type ChannelQueue, storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { Empty } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Time } from '#kit/record/time.tsx'
import { formatPeriod, ServiceTag, StateTag } from './entitlement-cells.tsx'
import { QueueBars } from '../statistics/queue-bars.tsx'
import { VideoCalendar } from '../playback/video-calendar.tsx'
import { PermitExplanation } from '../playback/permit-explanation.tsx'
import { ViewButton } from '../playback/view-button.tsx'

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
        <Empty
          image={Empty.PRESENTED_IMAGE_SIMPLE}
          description={data.cloudChannels === 0 ? '该型号不支持云存储' : '未开通云存储'}
        />
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
