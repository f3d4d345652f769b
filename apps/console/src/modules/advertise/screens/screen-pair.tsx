import { adScreens, PairInput } from '@oms/contract/advertise/screen.ts'
import { Form, Input, Modal } from 'antd'
import { Field } from '#kit/form/field.tsx'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { DevicePicker } from './screen-pickers.tsx'
import '../advertise.css'

/** Pairs the screen that shows a code with a device. */
export function PairForm({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const { modal, form } = useFormModal(adScreens.pair, { onClose, ...(code !== '' && { initial: { code } }) })
  return (
    <Modal title="配对屏幕" {...modal} okText="配对">
      <p className="kit-hint">在屏幕上用浏览器打开本系统的 /player/，然后输入屏幕显示的六位配对码。</p>
      <Form {...form}>
        <Field of={PairInput} name="code" normalize={removeBlanks}>
          <Input className="ad-pair-code" placeholder="请输入配对码" {...countCode(6)} autoComplete="off" />
        </Field>
        <Field of={PairInput} name="deviceId">
          <DevicePicker create="device" />
        </Field>
      </Form>
    </Modal>
  )
}
