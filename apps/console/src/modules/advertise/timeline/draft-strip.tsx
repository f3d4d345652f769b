import { parseDay } from '@oms/contract/advertise/engine/dates.ts'
import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { loadZone } from '@oms/contract/advertise/engine/zone.ts'
import { buildTimelineStrip } from '@oms/contract/advertise/program-strip.ts'
import { Alert, Form } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { DateControl } from '#kit/form/field-date.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { DayTimeline } from './day-strip.tsx'
import { ScreenSelect } from './target-fields.tsx'
import { useDraftManifest } from '../programs/use-draft-manifest.ts'

interface Props {
  readonly id: number | undefined
  readonly tenantId: number | undefined
  onManifest(manifest: Manifest | undefined, hasFailed: boolean): void
}

/** The 24 hours of a chosen screen as if the edited content were published. */
export function DraftStrip({ id, tenantId, onManifest }: Props) {
  const form = Form.useFormInstance()
  const [deviceId, setDevice] = useState<number>()
  const dateFrom = Form.useWatch('dateFrom', form) as string | undefined
  const [day, setDay] = useState<string>()
  const today = formatDayBeforeToday()
  const shown = day ?? (dateFrom && dateFrom > today ? dateFrom : today)
  const { manifest, problem, failure, retry } = useDraftManifest({ id, tenantId, deviceId })
  const hasFailed = failure !== undefined
  useEffect(() => onManifest(manifest, hasFailed), [manifest, hasFailed, onManifest])
  return (
    <section className="kit-card" aria-label="屏幕日程">
      <header className="kit-row kit-note">
        <h2 className="kit-card-title">24 小时预演</h2>
        <div style={{ width: 'min(280px, 100%)' }}>
          <ScreenSelect
            label="屏幕"
            placeholder="只看本节目单，或选择一块屏幕"
            onChange={setDevice}
            {...(deviceId && { value: deviceId })}
          />
        </div>
        <div style={{ width: 140 }}>
          <DateControl placeholder="日期" value={shown} onChange={setDay} />
        </div>
        <span className="kit-muted">
          {deviceId ? '按发布后的内容，与该屏幕的其他节目单一起计算' : '选择屏幕后可看到与其他节目单的先后和份额'}
        </span>
      </header>
      {failure && <LoadFailed refusal={failure} onRetry={retry} />}
      {problem && <Alert type="info" showIcon title={problem} />}
      {manifest && manifest.left.length > 0 && (
        <Alert type="warning" showIcon title={`超出屏幕容量，不会播放：${manifest.left.join('、')}`} />
      )}
      {manifest && <Strip manifest={manifest} day={shown} id={id ?? 0} />}
    </section>
  )
}

function Strip({ manifest, day, id }: { manifest: Manifest; day: string; id: number }) {
  const { from, to, segments } = useMemo(() => {
    const zone = loadZone(manifest.zone)
    const [start, end] = [zone.startOf(parseDay(day), 0), zone.startOf(parseDay(day) + 1, 0)]
    return { from: start, to: end, segments: buildTimelineStrip(manifest, start, end) }
  }, [manifest, day])
  return <DayTimeline segments={segments} from={from} to={to} zone={manifest.zone} highlighted={id} />
}
