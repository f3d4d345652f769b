import { agentParams, ParamInput, type ParamRow } from '@oms/contract/agent/parameters/params.ts'
import { findParamError, findParam } from '@oms/contract/agent/parameters/param-list.ts'
import { Form, Input, Modal, Select } from 'antd'
import { call } from '#core/api/client.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { formatParameter } from './param-table.tsx'

interface Props {
  readonly row: ParamRow
  readonly tenantId: number | undefined
  onClose(): void
}

/** Edits the own value of a parameter. A secret is never loaded into the form. */
export function ParamEditForm({ row, tenantId, onClose }: Props) {
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

function EditForm({ row, tenantId, read, onClose }: Props & { read(): Promise<ParamRow> }) {
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
