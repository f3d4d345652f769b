import { ITEM_END_TOO_EARLY, ProgramItemInput } from '@oms/contract/advertise/program-input.ts'
import { TRANSITION_NAME } from '@oms/contract/advertise/program-words.ts'
import { Form, InputNumber, Modal } from 'antd'
import { useState } from 'react'
import { NumberField, SelectField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import type { TrackItem } from './track-items.ts'

interface MoveProps {
  readonly item: TrackItem
  readonly index: number
  readonly count: number
  onMove(position: number): void
  onClose(): void
}

/** Asks for the new position of an item. */
export function MoveDialog({ item, index, count, onMove, onClose }: MoveProps) {
  const [position, setPosition] = useState(index + 1)
  return (
    <Modal
      open
      title={`移动「${item.adName}」`}
      okText="移动"
      cancelText="取消"
      onCancel={onClose}
      onOk={() => onMove(position)}
      width={360}
    >
      <label className="kit-row">
        移到第
        <InputNumber
          autoFocus
          aria-label="位置"
          min={1}
          max={count}
          precision={0}
          value={position}
          onChange={(next) => setPosition(next ?? 1)}
          onPressEnter={() => onMove(position)}
        />
        位，共 {count} 条
      </label>
    </Modal>
  )
}

const SCREEN_TIME_HINT = '按每块屏幕所在时区的当地时间'

interface SettingsProps {
  readonly item: TrackItem
  onSave(change: Partial<TrackItem>): void
  onClose(): void
}

/** Edits the settings of an item that the row does not show. */
export function SettingsDialog({ item, onSave, onClose }: SettingsProps) {
  const [form] = Form.useForm<Partial<TrackItem>>()
  const save = ({ startDt, endDt, maxPlaysPerHour, weight, ...values }: Partial<TrackItem>) => {
    if (startDt && endDt && endDt <= startDt) form.setFields([{ name: 'endDt', errors: [ITEM_END_TOO_EARLY] }])
    else
      onSave({
        ...values,
        startDt: startDt ?? null,
        endDt: endDt ?? null,
        maxPlaysPerHour: maxPlaysPerHour ?? 0,
        weight: weight ?? 1,
      })
  }
  return (
    <Modal
      open
      title={`播放设置 · ${item.adName}`}
      okText="确定"
      cancelText="取消"
      onCancel={onClose}
      onOk={() => form.submit()}
      width={460}
    >
      <Form form={form} layout="vertical" initialValues={item} onFinish={save}>
        <NumberField of={ProgramItemInput} name="weight" hint="播放方式为“按权重”时生效" />
        <NumberField of={ProgramItemInput} name="maxPlaysPerHour" unit="次" hint="0 表示不限" />
        <DateTimeField of={ProgramItemInput} name="startDt" hint={SCREEN_TIME_HINT} />
        <DateTimeField of={ProgramItemInput} name="endDt" hint={SCREEN_TIME_HINT} />
        <SelectField
          of={ProgramItemInput}
          name="transition"
          options={Object.entries(TRANSITION_NAME).map(([value, label]) => ({ value: Number(value), label }))}
        />
      </Form>
    </Modal>
  )
}
