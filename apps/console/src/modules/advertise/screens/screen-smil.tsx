import { adScreens, type ScreenRow } from '@oms/contract/advertise/screen.ts'
import { Form, Modal } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { DevicePicker } from './screen-pickers.tsx'

interface Made {
  readonly sn: string
  readonly address: string
}

/** Creates the address of a SMIL player for a device, or replaces the address of a screen, and shows it once. */
export function SmilForm({ row, onClose }: { readonly row: ScreenRow | 'new'; readonly onClose: () => void }) {
  const create = useWrite(adScreens.smilKey)
  const [form] = Form.useForm<{ deviceId: number }>()
  const [made, setMade] = useState<Made>()
  const isNew = row === 'new'
  const go = async () => {
    const id = isNew ? (await form.validateFields()).deviceId : row.id
    const { path } = await create.mutateAsync({ id })
    setMade({ sn: isNew ? '' : row.sn, address: `${location.origin}${path}` })
  }
  if (made) return <Address made={made} onClose={onClose} />
  return (
    <Modal
      open
      title={isNew ? '第三方播放器地址' : `更换屏幕「${row.sn}」的第三方播放器地址`}
      okText={isNew ? '生成' : '更换'}
      okButtonProps={{ danger: !isNew }}
      cancelText="取消"
      confirmLoading={create.isPending}
      onOk={() => void go().catch(() => {})}
      onCancel={onClose}
    >
      {isNew ? (
        <Form form={form} layout="vertical">
          <p className="kit-hint">为使用 SMIL 播放器的设备生成地址。</p>
          <Form.Item name="deviceId" label="设备" rules={[{ required: true, message: '请选择设备' }]}>
            <DevicePicker create="device" />
          </Form.Item>
        </Form>
      ) : (
        <p className="kit-hint">旧地址立即失效，播放器填入新地址之前不能获取节目。</p>
      )}
    </Modal>
  )
}

const Address = ({ made: { sn, address }, onClose }: { readonly made: Made; readonly onClose: () => void }) => (
  <OneTimeSecret
    title="第三方播放器地址"
    owner="屏幕"
    account={sn || '新屏幕'}
    label="地址"
    secret={address}
    hint="把地址填入 SMIL 播放器（如 garlic-player、IAdea）的内容地址；之后只能更换，不能再查看。播放器不上报分辨率，竖屏或非 1920×1080 的屏幕请在“编辑”中填写。"
    onClose={onClose}
  />
)
