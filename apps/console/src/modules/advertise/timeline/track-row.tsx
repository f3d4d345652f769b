import { ArrowDownOutlined, ArrowUpOutlined, HolderOutlined, MoreOutlined } from '@ant-design/icons'
import { TRANSITION_NAME } from '@oms/contract/advertise/program-words.ts'
import { Button, InputNumber, Tag, Form, Modal } from 'antd'
import { type HTMLAttributes, type Ref, useState } from 'react'
import { DisabledFor } from '#kit/feedback/disabled-for.tsx'
import { MenuButton } from '#kit/feedback/dropdown-menu.tsx'
import { AdThumb } from '../ads/ad-cells.tsx'
import type { TrackItem } from './track-items.ts'
import { ITEM_END_TOO_EARLY, ProgramItemInput } from '@oms/contract/advertise/program-input.ts'
import { NumberField, SelectField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'

interface RowActions {
  onChange(change: Partial<TrackItem>): void
  onMove(to: number): void
  onAsk(kind: 'move' | 'settings'): void
  onCopy(): void
  onRemove(): void
  onGrab(): void
  onRelease(): void
}

interface Props extends RowActions {
  readonly item: TrackItem
  readonly index: number
  readonly count: number
  /** Shows the weight: only the mode 按权重 uses it. */
  readonly isWeighted: boolean
  readonly drop: HTMLAttributes<HTMLElement>
  readonly mark: 'before' | 'after' | undefined
  readonly upRef: Ref<HTMLButtonElement>
}

const VIDEO = 2
const AUDIO = 3
/** Returns whether an item plays as long as its file. */
const isTimed = ({ adType }: TrackItem) => adType === VIDEO || adType === AUDIO

/** One item of the track. */
export function TrackRow({ item, index, count, isWeighted, drop, mark, upRef, ...actions }: Props) {
  const name = `第 ${index + 1} 条 ${item.adName}`
  return (
    <li className="ad-row" data-mark={mark} {...drop}>
      <Grip item={item} index={index} {...actions} />
      <AdThumb ad={item} />
      <span className="ad-row-text">
        <b title={item.adName}>{item.adName || '（无权查看的广告）'}</b>
        <RowNotes item={item} />
      </span>
      <RowNumbers name={name} item={item} isWeighted={isWeighted} {...actions} />
      <RowButtons name={name} index={index} count={count} upRef={upRef} {...actions} />
    </li>
  )
}

function RowNotes({ item }: { item: TrackItem }) {
  const { maxPlaysPerHour, startDt, endDt, transition, approvedVer, enableStat, validTo } = item
  const notes = [
    maxPlaysPerHour > 0 && `每小时最多 ${maxPlaysPerHour} 次`,
    startDt && `${startDt.slice(0, 16)} 起`,
    endDt && `至 ${endDt.slice(0, 16)}`,
    transition > 0 && TRANSITION_NAME[transition as 1],
    validTo && `有效期至 ${validTo}`,
  ].filter(Boolean)
  return (
    <small>
      {notes.join(' · ')}
      {approvedVer === 0 && <Tag color="error">未通过审核</Tag>}
      {enableStat === 0 && <Tag color="warning">已停用</Tag>}
    </small>
  )
}

const Grip = ({ item, index, onGrab, onRelease }: Pick<Props, 'item' | 'index' | 'onGrab' | 'onRelease'>) => (
  <span
    className="ad-grip"
    draggable
    title="拖动调整顺序"
    onDragStart={({ dataTransfer, currentTarget }) => {
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', item.adName)
      const row = currentTarget.closest('li')
      if (row) dataTransfer.setDragImage(row, 16, 24)
      onGrab()
    }}
    onDragEnd={onRelease}
  >
    <HolderOutlined aria-hidden />
    <span className="ad-index">{index + 1}</span>
  </span>
)

type Named<K extends keyof Props> = Pick<Props, K> & { readonly name: string }

const DURATION = { size: 'small', className: 'ad-duration', suffix: '秒' } as const

/** The duration of an item. A video or an audio plays for the duration of its file. */
const Duration = ({ name, item, onChange }: Named<'item' | 'onChange'>) =>
  isTimed(item) ? (
    <DisabledFor reason="视频和音频按文件时长播放">
      {(why) => (
        <InputNumber
          {...DURATION}
          aria-label={`${name} 时长`}
          readOnly
          controls={false}
          value={item.duration}
          {...why}
        />
      )}
    </DisabledFor>
  ) : (
    <InputNumber
      {...DURATION}
      aria-label={`${name} 时长`}
      title="播放时长"
      min={1}
      max={3600}
      precision={0}
      value={item.duration}
      onChange={(duration) => onChange({ duration: duration ?? 1 })}
    />
  )

const RowNumbers = ({ name, item, isWeighted, onChange }: Named<'item' | 'isWeighted' | 'onChange'>) => (
  <>
    {isWeighted && (
      <InputNumber
        size="small"
        className="ad-weight"
        prefix="权重"
        aria-label={`${name} 权重`}
        min={1}
        max={100}
        precision={0}
        value={item.weight}
        onChange={(weight) => onChange({ weight: weight ?? 1 })}
      />
    )}
    <Duration name={name} item={item} onChange={onChange} />
  </>
)

const RowButtons = ({
  name,
  index,
  count,
  upRef,
  onMove,
  onAsk,
  onCopy,
  onRemove,
}: Named<'index' | 'count' | 'upRef' | 'onMove' | 'onAsk' | 'onCopy' | 'onRemove'>) => (
  <span className="ad-row-buttons">
    <Button
      ref={upRef}
      type="text"
      size="small"
      icon={<ArrowUpOutlined />}
      aria-label={`${name} 上移`}
      title="上移"
      disabled={index === 0}
      onClick={() => onMove(index - 1)}
    />
    <Button
      type="text"
      size="small"
      icon={<ArrowDownOutlined />}
      aria-label={`${name} 下移`}
      title="下移"
      disabled={index === count - 1}
      onClick={() => onMove(index + 2)}
    />
    <MoreButton name={name} onAsk={onAsk} onCopy={onCopy} onRemove={onRemove} />
  </span>
)

const MoreButton = ({ name, onAsk, onCopy, onRemove }: Named<'onAsk' | 'onCopy' | 'onRemove'>) => (
  <MenuButton
    label={`${name} 更多`}
    buttonClass="kit-link"
    items={[
      { key: 'move', label: '移到…', onClick: () => onAsk('move') },
      { key: 'settings', label: '播放设置', onClick: () => onAsk('settings') },
      { key: 'copy', label: '复制', onClick: onCopy },
      { key: 'remove', label: '移除', danger: true, onClick: onRemove },
    ]}
  >
    <MoreOutlined aria-hidden />
  </MenuButton>
)

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
