import {
  AgentDeviceInput,
  type AgentDeviceRow,
  agentDevices,
  BindInput,
  BindMacInput,
  MoveInput,
} from '@oms/contract/agent/devices/device.ts'
import { Form, Input, Modal, Alert, InputNumber, Switch } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { Field, SwitchField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { AgentPicker } from '../agent-picker.tsx'
import { OtaAddress } from './device-cells.tsx'
import './device.css'
import { agentContacts, ContactInput, type ContactRow } from '@oms/contract/agent/devices/contact.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { RecordForm } from '#kit/form/record-form.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { CodeBlock } from '#kit/record/code-block.tsx'
import {
  agentDeviceTools,
  type DeviceTool,
  MAX_ARGUMENT,
  REBOOT_TOOL,
  findToolName,
} from '@oms/contract/agent/devices/device-tool.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useState } from 'react'

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
          <AgentPicker from={agentDevices.agents} create="agent" />
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
          <AgentPicker from={agentDevices.agents} create="agent" />
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
          <AgentPicker from={agentDevices.agents} create="agent" />
        </Field>
      </Form>
    </Modal>
  )
}

interface ContactFormProps {
  readonly row: ContactRow | 'new'
  /** Device whose address book gets the contact. */
  readonly deviceId: number
  onClose(): void
}

/** Adds or edits a contact of a device. The target of a contact does not change. */
export const ContactForm = ({ row, deviceId, onClose }: ContactFormProps) => (
  <RecordForm
    calls={agentContacts}
    noun="联系人"
    row={row}
    nameOf={({ alias }) => alias}
    initial={{ deviceId, allowed: 1 }}
    onClose={onClose}
  >
    {(stored) => (
      <>
        {stored === undefined && (
          <Field of={ContactInput} name="targetId" hint="同一客户的其他语音设备">
            <TargetPicker deviceId={deviceId} />
          </Field>
        )}
        <TextField of={ContactInput} name="alias" hint="对设备说“呼叫……”时使用的名字" />
        <SwitchField of={ContactInput} name="allowed" on="允许" off="不允许" />
      </>
    )}
  </RecordForm>
)

/** Selects a device of the same tenant by name or MAC. */
function TargetPicker({ deviceId, ...props }: RecordSelectProps & { readonly deviceId: number }) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentContacts.targets, { deviceId, keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, mac }) => ({ value: id, label: `${name} · ${mac}` }))
  return <RecordSelect placeholder="输入名称或 MAC 搜索设备" {...props} source={{ options, read, onSearch }} />
}

type ArgumentField = DeviceTool['fields'][number]

const REBOOT_HINT = '设备立即重启，正在进行的对话会中断。设备启动后检查升级。'

/** Asks for the arguments of a tool, calls it, and shows what the device returned. */
export function DeviceToolDialog({
  deviceId,
  tool,
  onClose,
}: {
  readonly deviceId: number
  readonly tool: DeviceTool
  onClose(): void
}) {
  const [form] = Form.useForm<Record<string, string | number | boolean | undefined>>()
  const call = useWrite(agentDeviceTools.call)
  const [result, setResult] = useState<ResultOf<typeof agentDeviceTools.call>>()
  const send = async () => {
    const given = await form.validateFields().catch(() => undefined)
    if (!given) return
    const filled = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== '')
    // Clears the result of the previous call, so that the dialog does not show it after a refused call.
    setResult(undefined)
    const input = { id: deviceId, name: tool.name, arguments: Object.fromEntries(filled) as Record<string, string> }
    call.mutate(input, { onSuccess: setResult })
  }
  return (
    <Modal
      open
      destroyOnHidden
      title={`调用「${findToolName(tool.name)}」`}
      okText={result ? '再次调用' : '调用'}
      okButtonProps={{ danger: tool.name === REBOOT_TOOL }}
      cancelText="关闭"
      confirmLoading={call.isPending}
      onOk={() => void send()}
      onCancel={onClose}
    >
      <p className="kit-hint kit-words">{tool.name === REBOOT_TOOL ? REBOOT_HINT : tool.description}</p>
      <Form form={form} layout="vertical" onFinish={() => void send()} initialValues={initialOf(tool.fields)}>
        {tool.fields.map((field) => (
          <ToolField key={field.name} field={field} />
        ))}
      </Form>
      <div aria-live="polite">{result && <Result {...result} />}</div>
    </Modal>
  )
}

const Result = ({ isError, text }: ResultOf<typeof agentDeviceTools.call>) => (
  <Alert
    type={isError ? 'error' : 'success'}
    showIcon
    title={isError ? '设备返回了错误' : '设备已执行'}
    description={<CodeBlock name="返回内容">{text || '没有返回内容'}</CodeBlock>}
  />
)

/** Initial values of the arguments. Switches are off, because a device refuses a call without a value for them. */
const initialOf = (fields: readonly ArgumentField[]) =>
  Object.fromEntries(fields.filter(({ type }) => type === 'boolean').map(({ name }) => [name, false]))

const ToolField = ({ field }: { field: ArgumentField }) => (
  <Form.Item
    name={field.name}
    label={field.name}
    extra={field.description}
    rules={[{ required: field.required, message: `请输入 ${field.name}` }]}
    {...(field.type === 'boolean' && { valuePropName: 'checked' })}
  >
    {controlOf(field)}
  </Form.Item>
)

function controlOf({ type, minimum, maximum }: ArgumentField) {
  if (type === 'boolean') return <Switch checkedChildren="是" unCheckedChildren="否" />
  if (type === 'string') return <Input maxLength={MAX_ARGUMENT} />
  const range = minimum !== null && maximum !== null ? `${minimum}～${maximum} 的整数` : '整数'
  return (
    <InputNumber
      style={{ width: '100%' }}
      precision={0}
      placeholder={range}
      {...(minimum !== null && { min: minimum })}
      {...(maximum !== null && { max: maximum })}
    />
  )
}
