import {
  AgentDeviceInput,
  type AgentDeviceRow,
  agentDevices,
  BindInput,
  BindMacInput,
  MoveInput,
} from '@oms/contract/agent/devices/device.ts'
import { Form, Input, Modal } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { Field, SwitchField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { DeviceAgentPicker } from './device-agent-picker.tsx'
import { OtaAddress } from './ota-address.tsx'
import './device.css'

interface Closable {
  readonly onClose: () => void
}

/** Binds the device that reads the entered activation code aloud. */
export function BindForm({ onClose }: Closable) {
  const { modal, form } = useFormModal(agentDevices.bind, { onClose })
  return (
    <Modal title="按验证码绑定" {...modal} okText="绑定">
      <p className="kit-hint">设备联网后会播报六位验证码，并显示在屏幕上。验证码 24 小时内有效。</p>
      <OtaAddress />
      <Form {...form}>
        <Field of={BindInput} name="code" normalize={removeBlanks}>
          <Input
            className="agent-bind-code"
            placeholder="请输入验证码"
            {...countCode(6)}
            inputMode="numeric"
            autoComplete="off"
          />
        </Field>
        <Field of={BindInput} name="agentId">
          <DeviceAgentPicker create="agent" />
        </Field>
        <TextField of={BindInput} name="alias" hint="如 客厅，可不填" />
      </Form>
    </Modal>
  )
}

/** Binds a device before its first boot. */
export function BindMacForm({ onClose }: Closable) {
  const { modal, form } = useFormModal(agentDevices.bindMac, { onClose })
  return (
    <Modal title="按 MAC 绑定" {...modal} okText="绑定">
      <p className="kit-hint">设备首次启动后直接使用该智能体，不再播报验证码。</p>
      <Form {...form}>
        <TextField of={BindMacInput} name="mac" hint="如 00:1A:2B:3C:4D:5E" />
        <Field of={BindMacInput} name="agentId">
          <DeviceAgentPicker create="agent" />
        </Field>
        <TextField of={BindMacInput} name="alias" hint="如 客厅，可不填" />
      </Form>
    </Modal>
  )
}

interface EditProps extends Closable {
  readonly row: AgentDeviceRow
}

const valuesOf = ({ id, rev, alias, autoUpdate }: AgentDeviceRow) => ({ id, rev, alias, autoUpdate })

/** Form for the name and the automatic updates of a voice device. */
export function AgentDeviceForm({ row, onClose }: EditProps) {
  const read = () => readFresh(agentDevices.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑语音设备" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: EditProps) {
  const { modal, form } = useFormModal(agentDevices.update, {
    onClose,
    initial: valuesOf(row),
    latest: async () => valuesOf(await call(agentDevices.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑「${row.name}」`} {...modal}>
      <Form {...form}>
        <TextField of={AgentDeviceInput} name="alias" hint="不填则显示设备名称" />
        <SwitchField of={AgentDeviceInput} name="autoUpdate" hint="关闭后只接收指定推送给该设备的升级" />
      </Form>
    </Modal>
  )
}

/** Moves devices to another agent. */
export function MoveForm({ rows, onClose }: Closable & { readonly rows: readonly AgentDeviceRow[] }) {
  const { modal, form } = useFormModal(agentDevices.move, { onClose, initial: { ids: rows.map(({ id }) => id) } })
  return (
    <Modal
      title={rows.length === 1 ? `更换「${rows[0]!.name}」的智能体` : `更换 ${rows.length} 台设备的智能体`}
      {...modal}
    >
      <p className="kit-hint">设备下次连接语音服务时使用新的智能体，设备自己的记忆保留。</p>
      <Form {...form}>
        <Field of={MoveInput} name="agentId">
          <DeviceAgentPicker create="agent" />
        </Field>
      </Form>
    </Modal>
  )
}
