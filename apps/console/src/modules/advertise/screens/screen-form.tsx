import { adScreens, ScreenInput, type ScreenRow, SMIL_PLAYER } from '@oms/contract/advertise/screen.ts'
import { Form, Input, InputNumber, Modal } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { Field, NumberField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { formatScreenSize } from './screen-cells.tsx'

interface FormProps {
  readonly row: ScreenRow
  readonly onClose: () => void
}

const valuesOf = ({ id, rev, timeZone, audienceFactor, volume, playerKind, width, height }: ScreenRow) => ({
  id,
  rev,
  timeZone,
  audienceFactor,
  volume,
  // Other players report their size.
  ...(playerKind === SMIL_PLAYER && { width, height }),
})

/** Form of a screen: zone, audience factor, volume, and the size of a SMIL player. */
export function ScreenForm({ row, onClose }: FormProps) {
  const read = () => readFresh(adScreens.get, { sn: row.sn }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑屏幕" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: FormProps) {
  const { modal, form } = useFormModal(adScreens.update, {
    onClose,
    initial: valuesOf(row),
    latest: async () => valuesOf(await call(adScreens.get, { sn: row.sn })),
  })
  return (
    <Modal title={`编辑屏幕「${row.sn}」`} {...modal}>
      <Form {...form}>
        <Field of={ScreenInput} name="timeZone" hint="IANA 时区名，如 Asia/Shanghai；不填则与管理端一致">
          <Input placeholder="与管理端一致" />
        </Field>
        <NumberField
          of={ScreenInput}
          name="audienceFactor"
          hint="每次播放平均有多少人看到，用于估算曝光；修改后从下一个整点的播放起生效"
        />
        <NumberField of={ScreenInput} name="volume" unit="%" />
        {row.playerKind === SMIL_PLAYER ? (
          <SizeFields />
        ) : (
          <Form.Item label="分辨率">{formatScreenSize(row) || '未知'}（由播放器上报）</Form.Item>
        )}
      </Form>
    </Modal>
  )
}

/** Field properties that show 0 (unknown) as an empty field, and store an empty field as 0. */
const asPixels = {
  normalize: (value: unknown) => value ?? 0,
  getValueProps: (value: unknown) => ({ value: value === 0 ? null : value }),
}

function SizeFields() {
  const form = Form.useFormInstance()
  const width = Form.useWatch('width', form) as number | undefined
  const height = Form.useWatch('height', form) as number | undefined
  const kind = !width || !height ? '' : height > width ? '竖屏' : '横屏'
  return (
    <div className="kit-pair">
      <Field of={ScreenInput} name="width" {...asPixels}>
        <InputNumber placeholder="1920" suffix="像素" />
      </Field>
      <Field of={ScreenInput} name="height" {...asPixels}>
        <InputNumber placeholder="1080" suffix="像素" />
      </Field>
      <p className="kit-hint">
        {kind && `${kind}。`}SMIL 播放器不上报分辨率：素材和画面按这里填写的大小选择，不填则按 1920×1080
      </p>
    </div>
  )
}
