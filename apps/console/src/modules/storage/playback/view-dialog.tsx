import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { type ConsentRow, playbackConsents, RecordingViewInput } from '@oms/contract/storage/consent.ts'
import { Alert, Form, Modal } from 'antd'
import { useRef, useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useViewEnd } from './use-view-end.ts'
import { splitIntoViewRanges } from './view-parts.ts'
import { ViewTimes } from './view-times.tsx'

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
