import {
  agentDeviceTools,
  type DeviceTool,
  MAX_ARGUMENT,
  REBOOT_TOOL,
  findToolName,
} from '@oms/contract/agent/devices/device-tool.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Form, Input, InputNumber, Modal, Switch } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'

type Field = DeviceTool['fields'][number]

interface Props {
  readonly deviceId: number
  readonly tool: DeviceTool
  onClose(): void
}

const REBOOT_HINT = '设备立即重启，正在进行的对话会中断。设备启动后检查升级。'

/** Asks for the arguments of a tool, calls it, and shows what the device returned. */
export function DeviceToolDialog({ deviceId, tool, onClose }: Props) {
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
    description={<pre className="kit-code">{text || '没有返回内容'}</pre>}
  />
)

/** Initial values of the arguments. Switches are off, because a device refuses a call without a value for them. */
const initialOf = (fields: readonly Field[]) =>
  Object.fromEntries(fields.filter(({ type }) => type === 'boolean').map(({ name }) => [name, false]))

const ToolField = ({ field }: { field: Field }) => (
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

function controlOf({ type, minimum, maximum }: Field) {
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
