import { userApply } from '@oms/contract/tenant/user-apply.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Form, type FormInstance, Input, Modal, Select } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { focusOpened } from '#kit/form/focus-first.ts'
import type { Apply } from './apply-list.page.tsx'

type Report = ResultOf<typeof userApply.audit>

interface Decision {
  roleIds?: number[]
  remark?: string
}

/** Approves or rejects one or more applications. An approval needs roles, a rejection needs a reason. */
export function ApplyAudit(props: { rows: readonly Apply[]; approve: boolean; clear?(): void; onClose(): void }) {
  const { rows, approve, clear, onClose } = props
  const [form] = Form.useForm<Decision>()
  const write = useWrite(userApply.audit)
  const [report, setReport] = useState<Report>()
  const tenants = [...new Set(rows.map(({ tenantId }) => tenantId))]
  const mixed = approve && tenants.length > 1
  const verb = approve ? '通过' : '拒绝'
  const submit = async () => {
    if (report || mixed) return onClose()
    const { roleIds = [], remark = '' } = await form.validateFields()
    const done = await write
      .mutateAsync({ ids: rows.map(({ id }) => id), status: approve ? 1 : 2, roleIds, remark })
      .catch(() => undefined)
    if (!done) return
    clear?.()
    if (done.failed.length === 0) return onClose()
    setReport(done)
  }
  return (
    <Modal
      open
      title={rows.length === 1 ? `${verb}「${rows[0]?.realname}」的申请` : `批量${verb} ${rows.length} 个申请`}
      okText={report || mixed ? '知道了' : verb}
      okButtonProps={{ danger: !approve && !report, loading: write.isPending }}
      cancelText="取消"
      mask={{ closable: false }}
      afterOpenChange={focusOpened}
      onOk={() => void submit().catch(() => {})}
      onCancel={onClose}
    >
      {mixed && <Alert type="info" showIcon title="所选申请属于不同客户，角色各不相同，请按客户分别通过" />}
      {report && <Outcome report={report} verb={verb} />}
      {!report && !mixed && <AuditForm form={form} rows={rows} approve={approve} />}
    </Modal>
  )
}

interface AuditFormProps {
  readonly form: FormInstance<Decision>
  readonly rows: readonly Apply[]
  readonly approve: boolean
}

function AuditForm({ form, rows, approve }: AuditFormProps) {
  return (
    <Form form={form} layout="vertical">
      <p>
        {rows
          .slice(0, 5)
          .map(({ realname, account }) => `${realname}（${account}）`)
          .join('、')}
        {rows.length > 5 && ` 等 ${rows.length} 人`}，申请加入 {rows[0]?.tenantName}
      </p>
      {approve && rows[0] && <Roles tenantId={rows[0].tenantId} />}
      <Form.Item
        name="remark"
        label={approve ? '审核意见' : '拒绝原因'}
        rules={[{ required: !approve, whitespace: true, message: '请填写拒绝原因' }]}
      >
        <Input.TextArea rows={3} maxLength={200} showCount placeholder={approve ? '选填' : '会告知申请人'} />
      </Form.Item>
    </Form>
  )
}

function Roles({ tenantId }: { tenantId: number }) {
  const { data } = useRead(userApply.roles, { tenantId }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, roleName, status, grantable }) => ({
    value: id,
    label: status === 1 ? roleName : `${roleName}（已停用）`,
    disabled: status !== 1 || !grantable,
    title: grantable ? roleName : `${roleName}：包含您没有的权限，不能分配`,
  }))
  return (
    <Form.Item name="roleIds" label="角色" rules={[{ required: true, message: '请选择角色' }]}>
      <Select
        mode="multiple"
        allowClear
        placeholder="请选择角色"
        options={options}
        showSearch={{ optionFilterProp: 'label' }}
      />
    </Form.Item>
  )
}

function Outcome({ report, verb }: { report: Report; verb: string }) {
  return (
    <>
      <Alert type="warning" showIcon title={`已${verb} ${report.done} 个，失败 ${report.failed.length} 个`} />
      <ul>
        {report.failed.map(({ id, name, msg }) => (
          <li key={id}>
            {name}：{msg}
          </li>
        ))}
      </ul>
    </>
  )
}
