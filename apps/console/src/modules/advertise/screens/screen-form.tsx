import { adScreens, ScreenInput, type ScreenRow } from '@oms/contract/advertise/screen.ts'
import { Form, Input, Modal } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { Field, NumberField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

interface FormProps {
  readonly row: ScreenRow
  readonly onClose: () => void
}

const valuesOf = ({ id, rev, timeZone, audienceFactor, volume }: ScreenRow) => ({
  id,
  rev,
  timeZone,
  audienceFactor,
  volume,
})

/** Edits zone, audience factor and volume of a screen. */
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
        <NumberField of={ScreenInput} name="audienceFactor" hint="每次播放平均有多少人看到，用于估算曝光" />
        <NumberField of={ScreenInput} name="volume" unit="%" />
      </Form>
    </Modal>
  )
}
