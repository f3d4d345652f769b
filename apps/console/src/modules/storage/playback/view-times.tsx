import {
  type ConsentedTimes,
  type ConsentRow,
  playbackConsents,
  RecordingViewInput,
} from '@oms/contract/storage/consent.ts'
import { Button, Form } from 'antd'
import { useEffect, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Field } from '#kit/form/field.tsx'
import { Select } from '#kit/form/select.tsx'
import { splitIntoViewRanges } from './view-parts.ts'
import '../storage.css'

/** Channel, and the recorded times that the consent covers. A press on a time fills the range of the view. */
export function ViewTimes({ consent: { id, sn } }: { consent: ConsentRow }) {
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
