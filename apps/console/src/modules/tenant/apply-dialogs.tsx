import { userApply, ApplyRow } from '@oms/contract/tenant/user-apply.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Form, type FormInstance, Input, Modal, Tabs } from 'antd'
import { useEffect, useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { useSession } from '#core/auth/session.tsx'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { showCount, createMaxLengthValidator } from '#kit/form/text-limit.ts'
import { type Apply, ApplyStatus } from './apply-list.page.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'

type Report = ResultOf<typeof userApply.audit>

interface Decision {
  roleIds?: number[]
  remark?: string
}

interface ReviewProps {
  readonly rows: readonly Apply[]
  readonly approve: boolean
  clear?(): void
  onClose(): void
}

/** Approves or rejects one or more applications. An approval needs roles, a rejection needs a reason. */
export function ApplicationReviewForm({ rows, approve, clear, onClose }: ReviewProps) {
  const [form] = Form.useForm<Decision>()
  const write = useWrite(userApply.audit)
  const [report, setReport] = useState<Report>()
  const tenants = [...new Set(rows.map(({ tenantId }) => tenantId))]
  const mixed = approve && tenants.length > 1
  const verb = approve ? '通过' : '驳回'
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
      afterOpenChange={focusFirstFieldOnOpen}
      onOk={() => void submit().catch(() => {})}
      onCancel={onClose}
    >
      {mixed && <Alert type="info" showIcon title="所选申请属于不同客户，角色各不相同，请按客户分别通过" />}
      {report && <Outcome report={report} verb={verb} />}
      {!report && !mixed && <AuditForm form={form} rows={rows} approve={approve} />}
    </Modal>
  )
}

const MAX_REMARK = 200

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
      {approve && rows[0] && <Roles tenantId={rows[0].tenantId} form={form} />}
      <Form.Item
        name="remark"
        label={approve ? '审批意见' : '驳回原因'}
        rules={[
          { required: !approve, whitespace: true, message: '请填写驳回原因' },
          { validator: createMaxLengthValidator(approve ? '审批意见' : '驳回原因', MAX_REMARK) },
        ]}
      >
        <Input.TextArea rows={3} {...showCount(MAX_REMARK)} placeholder={approve ? '选填' : '会告知申请人'} />
      </Form.Item>
    </Form>
  )
}

/** Select of the roles for an approval. Starts with the roles of the last approval, which usually fit again. */
function Roles({ tenantId, form }: { tenantId: number; form: FormInstance<Decision> }) {
  const { data } = useRead(userApply.roles, { tenantId }, { quiet: true })
  const isOwnTenant = Number(useSession()?.ownerId) === tenantId
  const suggested = data?.suggested
  useEffect(() => {
    if (suggested?.length && !form.isFieldTouched('roleIds')) form.setFieldValue('roleIds', suggested)
  }, [form, suggested])
  const chosen = Form.useWatch('roleIds', form)
  const isSuggested = suggested !== undefined && suggested.length > 0 && chosen?.join() === suggested.join()
  const hasNone = data !== undefined && !data.list.some(({ status, grantable }) => status === 1 && grantable)
  return (
    <Form.Item
      name="roleIds"
      label="角色"
      rules={[{ required: true, message: '请选择角色' }]}
      extra={
        hasNone
          ? NO_ROLE
          : isSuggested
            ? '已填入上次通过申请时分配的角色，可以修改'
            : '没有角色的用户登录后看不到任何功能'
      }
    >
      <CreatingSelect
        create={isOwnTenant ? 'role' : undefined}
        mode="multiple"
        allowClear
        placeholder="请选择角色"
        options={optionsOf(data?.list ?? [])}
        showSearch={{ optionFilterProp: 'label' }}
      />
    </Form.Item>
  )
}

const NO_ROLE = '该客户没有您可以分配的角色，请先在该客户的「角色管理」中新增角色'

const optionsOf = (roles: ResultOf<typeof userApply.roles>['list']) =>
  roles.map(({ id, roleName, status, grantable }) => ({
    value: id,
    label: status !== 1 ? `${roleName}（已停用）` : grantable ? roleName : `${roleName}（含您没有的权限，不能分配）`,
    disabled: status !== 1 || !grantable,
  }))

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

const { item, wide } = createDescriptions(ApplyRow)
const ITEMS = [
  item('applyNo'),
  item('status', (status) => <ApplyStatus status={status} />),
  item('account'),
  item('realname'),
  item('mobileNo'),
  item('tenantName'),
  item('source'),
  item('createTime', time),
  wide('reason'),
  item('auditName'),
  item('auditTime', time),
  wide('roleNames'),
  wide('auditRemark'),
]

/** Shows one application in a drawer. */
export function ApplyDrawer(props: {
  rows: readonly Apply[]
  row: Apply | undefined
  onRow(row: Apply | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ realname, account }) => `${realname}（${account}）的申请`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '申请信息', children: <Descriptions row={row} items={ITEMS} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="userApply" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}
