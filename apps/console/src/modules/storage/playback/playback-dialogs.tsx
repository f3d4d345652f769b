import type { InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import {
  CONSENT_DOCUMENT,
  ConsentInput,
  playbackConsents,
  type ConsentRow,
  RecordingViewInput,
  type ConsentedTimes,
} from '@oms/contract/storage/consent.ts'
import { Form, Modal, Alert, Button } from 'antd'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { Field, NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { useRef, useState, useEffect } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { splitIntoViewRanges } from './view-parts.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Select } from '#kit/form/select.tsx'
import '../storage.css'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import type { ApiError } from '#core/api/api-error.ts'
import { formatWallClock } from '#core/text/format.ts'

type InitialConsent = Partial<InputOf<typeof playbackConsents.create>>

/** Records a written consent of a device's user. */
export function ConsentForm({ initial, onClose }: { initial?: InitialConsent; onClose: () => void }) {
  const { modal, form } = useFormModal(playbackConsents.create, { onClose, ...(initial && { initial }) })
  const of = ConsentInput
  return (
    <Modal title="登记录像查看授权" {...modal} okText="登记">
      <p className="kit-hint">登记人不能使用自己登记的授权查看录像，需由他人查看。</p>
      <Form {...form}>
        <TextField of={of} name="sn" />
        <div className="kit-pair">
          <DateTimeField of={of} name="rangeBegin" />
          <DateTimeField of={of} name="rangeEnd" />
        </div>
        <DateTimeField of={of} name="validUntil" />
        <Field of={of} name="document">
          <FileUpload rule={CONSENT_DOCUMENT} purpose="consent" />
        </Field>
        <NoteField of={of} name="note" rows={2} />
      </Form>
    </Modal>
  )
}

const RecordingPlayer = lazyAfterRender(() => import('./recording-player.tsx'), 'RecordingPlayer')
const ViewPictures = lazyAfterRender(() => import('./view-pictures.tsx'), 'ViewPictures')

interface DialogProps {
  readonly consent: ConsentRow
  readonly onClose: () => void
}
type PlayAddress = ResultOf<typeof playbackConsents.view>

/** Asks for range and reason, and plays the recordings. Every opened address is one recorded view. */
export function ViewDialog({ consent, onClose }: DialogProps) {
  const [opened, setOpened] = useState<PlayAddress>()
  if (!opened) return <ViewForm consent={consent} onClose={onClose} onOpened={setOpened} />
  return (
    <Modal
      open
      title={`查看录像 ${consent.sn}`}
      width="min(960px, 96vw)"
      footer={null}
      destroyOnHidden
      onCancel={onClose}
    >
      <p className="kit-hint">本次查看已记录，设备用户可在 App 中看到查看人、时间和原因。</p>
      <OpenedView consent={consent} opened={opened} onReload={() => setOpened(undefined)} />
    </Modal>
  )
}

interface OpenedProps {
  readonly consent: ConsentRow
  readonly opened: PlayAddress
  readonly onReload: () => void
}

/** Shows the recordings of a view until the consent ends. Then nothing of the recordings stays on the page. */
function OpenedView({ consent, opened: { url, isHevc, nextBegin, pictures, watermark }, onReload }: OpenedProps) {
  const end = useViewEnd(consent)
  if (end.message) return <Alert type="warning" showIcon title={end.message} />
  return (
    <>
      {url !== null && <RecordingPlayer key={url} {...{ url, isHevc, watermark, onReload }} onRefused={end.check} />}
      {nextBegin && <Alert showIcon title={`摄像机此后改用其他录像格式，后面的录像请从 ${nextBegin} 起另行查看`} />}
      {pictures.length > 0 && <ViewPictures pictures={pictures} watermark={watermark} />}
    </>
  )
}

function ViewForm({ consent, onClose, onOpened }: DialogProps & { onOpened(opened: PlayAddress): void }) {
  const isOpened = useRef(false)
  const { modal, form } = useFormModal(playbackConsents.view, {
    // The form also closes after a save. The player is shown then, so the dialog stays.
    onClose: () => !isOpened.current && onClose(),
    onSaved: (opened) => {
      isOpened.current = true
      onOpened(opened)
    },
    initial: {
      sn: consent.sn,
      consentId: consent.id,
      channel: 0,
      begin: consent.rangeBegin,
      end: splitIntoViewRanges([{ begin: consent.rangeBegin, end: consent.rangeEnd }])[0]?.end,
    } as never,
  })
  return (
    <Modal title={`查看录像 ${consent.sn}`} {...modal} okText="查看">
      <p className="kit-hint">
        授权范围：{consent.rangeBegin} 至 {consent.rangeEnd}，一次最多查看30分钟。
      </p>
      <Form {...form}>
        <ViewTimes consent={consent} />
        <div className="kit-pair">
          <DateTimeField of={RecordingViewInput} name="begin" />
          <DateTimeField of={RecordingViewInput} name="end" />
        </div>
        <NoteField of={RecordingViewInput} name="reason" rows={3} hint="至少5个字符，设备用户可在 App 中看到" />
      </Form>
    </Modal>
  )
}

/** Channel, and the recorded times that the consent covers. A press on a time fills the range of the view. */
function ViewTimes({ consent: { id, sn } }: { consent: ConsentRow }) {
  const form = Form.useFormInstance()
  const channel = (Form.useWatch('channel', form) as number | undefined) ?? 0
  const begin = Form.useWatch('begin', form) as string | undefined
  const [day, setDay] = useState<string>()
  const input = { sn, consentId: id, channel, ...(day && { day }) }
  const read = useRead(playbackConsents.times, input, { quiet: true, staleTime: 0 })
  const { data } = read
  const views = splitIntoViewRanges(data?.list ?? [])
  const [first] = views
  useEffect(() => {
    // Proposes the first recorded time. A time that the person has entered stays.
    if (first && !form.isFieldsTouched(['begin', 'end'])) form.setFieldsValue(first)
  }, [form, first])
  return (
    <>
      <div className="kit-pair">
        <Field of={RecordingViewInput} name="channel">
          <Select options={(data?.channels ?? [channel]).map((value) => ({ value, label: `通道 ${value}` }))} />
        </Field>
        <Form.Item label="有录像的日期">
          <Select
            aria-label="有录像的日期"
            value={day ?? data?.days.at(-1) ?? null}
            placeholder="授权范围内没有录像"
            options={(data?.days ?? []).map((value) => ({ value, label: value }))}
            onChange={(value) => setDay(value as string)}
          />
        </Form.Item>
      </div>
      {data ? (
        <Times views={views} begin={begin} onPick={(range) => form.setFieldsValue(range)} />
      ) : (
        <Waiting reads={[read]} rows={2} />
      )}
    </>
  )
}

interface TimesProps {
  readonly views: ConsentedTimes['list']
  readonly begin: string | undefined
  onPick(range: ConsentedTimes['list'][number]): void
}

function Times({ views, begin, onPick }: TimesProps) {
  if (views.length === 0) return <p className="kit-hint">授权范围内没有可查看的录像。</p>
  return (
    <ul className="kit-plain kit-row storage-times" aria-label="有录像的时间">
      {views.map((part) => (
        <li key={part.begin}>
          <Button
            size="small"
            type={part.begin === begin ? 'primary' : 'default'}
            aria-pressed={part.begin === begin}
            onClick={() => onPick(part)}
          >
            {part.begin.slice(11)} – {part.end.slice(11)}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/**
 * Response codes that mean that the account can no longer use the consent. Other errors, such as a lost connection, do
 * not end the view.
 */
const REFUSALS: readonly number[] = [RESPONSE_CODE.invalid, RESPONSE_CODE.refused]
const endsView = (error: ApiError | null) => error !== null && REFUSALS.includes(error.code)

/**
 * Returns a message after the consent of a view was withdrawn or has expired, and undefined while the consent is valid.
 * The consent is requested again after each event about a changed consent, and when `check` is called.
 */
function useViewEnd({ id, sn, validUntil }: ConsentRow) {
  const input = { sn, consentId: id, channel: 0 }
  const { error, refetch } = useRead(playbackConsents.times, input, { quiet: true, staleTime: 0 })
  const [message, setMessage] = useState<string>()
  if (message === undefined && endsView(error)) {
    const isExpired = validUntil <= formatWallClock()
    setMessage(isExpired ? '授权已过期，查看已结束' : '授权已撤回，查看已结束')
  }
  return { message, check: () => void refetch() }
}
