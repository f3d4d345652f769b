import { agentParams, ParamInput, type ParamRow, RevealInput } from '@oms/contract/agent/parameters/params.ts'
import { findParamError, findParam } from '@oms/contract/agent/parameters/param-list.ts'
import { Form, Input, Modal, Select, Button } from 'antd'
import { call } from '#core/api/client.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { formatParameter, buildServerConfig } from './param-table.tsx'
import { useRef, useState } from 'react'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { copyToClipboard } from '#kit/record/copy-to-clipboard.ts'

interface ParamEditFormProps {
  readonly row: ParamRow
  readonly tenantId: number | undefined
  onClose(): void
}

/** Edits the own value of a parameter. A secret is never loaded into the form. */
export function ParamEditForm({ row, tenantId, onClose }: ParamEditFormProps) {
  const { code } = row
  const read = async () => {
    const { list } = await call(agentParams.get, tenantId === undefined ? {} : { tenantId }, { quiet: true })
    return list.find((each) => each.code === code) ?? row
  }
  return (
    <FreshRecord of={code} read={read} title={`修改 ${code}`} onClose={onClose}>
      {(fresh) => <EditForm row={fresh} tenantId={tenantId} read={read} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, tenantId, read, onClose }: ParamEditFormProps & { read(): Promise<ParamRow> }) {
  const { code, title, platformValue } = row
  const isSecret = findParam(code)?.type === 'secret'
  const forForm = ({ value, remark, rev }: ParamRow) => ({
    code,
    value: isSecret ? '' : value,
    remark,
    rev,
    ...(tenantId !== undefined && { tenantId }),
  })
  const { modal, form } = useFormModal(agentParams.update, {
    onClose,
    initial: forForm(row),
    latest: async () => forForm(await read()),
  })
  return (
    <Modal title={`修改 ${code}`} {...modal}>
      <p className="kit-hint">{title}</p>
      <Form {...form}>
        <ValueField code={code} isSecret={isSecret} platformValue={platformValue} />
        <NoteField of={ParamInput} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}

function ValueField({
  code,
  isSecret,
  platformValue,
}: {
  code: string
  isSecret: boolean
  platformValue: string | null
}) {
  const validator = async (_rule: unknown, value: unknown) => {
    const problem = findParamError(code, typeof value === 'string' ? value : '')
    if (problem) throw new Error(problem)
  }
  const hint = platformValue ? `平台值：${formatParameter(code, platformValue)}` : undefined
  return (
    <Form.Item name="value" label="参数值" rules={[{ validator }]} validateTrigger="onBlur" extra={hint}>
      {isSecret ? <Input.Password autoComplete="new-password" placeholder="输入新的值" /> : controlOf(code)}
    </Form.Item>
  )
}

function controlOf(code: string) {
  const param = findParam(code)
  const choices = param?.type === 'boolean' ? { true: '是', false: '否' } : param?.choices
  if (choices) return <Select options={Object.entries(choices).map(([value, label]) => ({ value, label }))} />
  return <Input.TextArea autoSize={{ minRows: 1, maxRows: 10 }} />
}

/** Asks for a reason, then shows a secret. The operation log records the reason. */
export function ParamReveal({
  row: { code },
  tenantId,
  onClose,
}: {
  readonly row: Pick<ParamRow, 'code'>
  readonly tenantId: number | undefined
  onClose(): void
}) {
  const [value, setValue] = useState<string>()
  // The form also sends its close event when the secret replaces it. This event must not close the secret.
  const isShown = useRef(false)
  const { modal, form } = useFormModal(agentParams.reveal, {
    onClose: () => {
      if (!isShown.current) onClose()
    },
    initial: { code, ...(tenantId !== undefined && { tenantId }) },
    onSaved: ({ value: shown }) => {
      isShown.current = true
      setValue(shown)
    },
  })
  if (value !== undefined) return <Shown code={code} value={value} onClose={onClose} />
  return (
    <Modal title={`查看 ${code}`} {...modal} okText="查看">
      <Form {...form}>
        <TextField of={RevealInput} name="reason" hint="查看的人、时间和原因会记入操作日志" />
      </Form>
    </Modal>
  )
}

function Shown({ code, value, onClose }: { code: string; value: string; onClose(): void }) {
  return (
    <OneTimeSecret
      title="查看密钥"
      owner="参数"
      account={code}
      label="密钥"
      warning="请勿转发密钥；关闭后再次查看需要重新填写原因"
      secret={value}
      hint={
        code === 'server.secret' ? (
          <Button size="small" onClick={() => void copyVoiceServerConfig(value)}>
            复制 .config.yaml 配置
          </Button>
        ) : (
          '请勿通过聊天工具发送密钥。'
        )
      }
      onClose={onClose}
    />
  )
}

/** Copies the lines that connect a voice server to this installation. */
const copyVoiceServerConfig = (secret: string) => copyToClipboard(buildServerConfig(globalThis.location.origin, secret))
