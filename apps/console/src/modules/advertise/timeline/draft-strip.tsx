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
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import { type ApiError, call } from '#core/api/client.ts'
import { selectAcceptedFields } from '#kit/form/form-values.ts'

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

/** Milliseconds without a change before the manifest is requested. */
const QUIET_MS = 500

interface Asked {
  readonly id: number | undefined
  readonly tenantId: number | undefined
  readonly deviceId: number | undefined
}

/** Manifest of a screen. `left` has the names of the programs that exceed the capacity of the screen. */
type DraftManifest = ResultOf<typeof programOptions.manifest>

interface Answer {
  readonly manifest?: DraftManifest
  readonly problem?: string
  readonly failure?: ApiError
}

const keep = (manifest: DraftManifest | undefined, answer: Answer): Answer => ({
  ...(manifest && { manifest }),
  ...answer,
})
/** The server refuses invalid values with a message. All other errors are failures. */
const answerTo = (refusal: ApiError): Answer =>
  refusal.code === RESPONSE_CODE.invalid ? { problem: refusal.message } : { failure: refusal }

/**
 * Returns the manifest of the screen as if the values of the form were published. Keeps the last manifest while values
 * are invalid. `problem` describes the missing or invalid values. `failure` is the error of a request that the user can
 * retry.
 */
function useDraftManifest({ id, tenantId, deviceId }: Asked) {
  const form = Form.useFormInstance()
  const values = Form.useWatch((all) => JSON.stringify(all), { form, preserve: true }) as string | undefined
  const [answer, setAnswer] = useState<Answer>({})
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (!values) return undefined
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const content = JSON.parse(values) as Record<string, unknown>
      const input = selectAcceptedFields(programOptions.manifest, {
        ...content,
        programName: content['programName'] || '本节目单',
        id,
        tenantId,
        deviceId,
      })
      const parsed = programOptions.manifest.input.safeParse(input)
      if (!parsed.success) return setAnswer(({ manifest }) => keep(manifest, { problem: '填写完整后显示预演' }))
      return void call(programOptions.manifest, input as never, { quiet: true, signal: abort.signal }).then(
        (manifest) => setAnswer({ manifest }),
        (refusal: ApiError) => {
          if (abort.signal.aborted) return
          setAnswer(({ manifest }) => keep(manifest, answerTo(refusal)))
        },
      )
    }, QUIET_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [values, id, tenantId, deviceId, attempt])
  return { ...answer, retry: () => setAttempt((now) => now + 1) }
}
