import { type ProgramListRow, programs } from '@oms/contract/advertise/program.ts'
import { PROGRAM_AUDIT, programPublish } from '@oms/contract/advertise/program-publish.ts'
import { Form, Input, Modal, Radio } from 'antd'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { showCount, createMaxLengthValidator } from '#kit/form/text-limit.ts'
import { EarlierProgramReviews } from '../programs/earlier-program-reviews.tsx'

const MAX_REMARK = 200

interface Props {
  readonly row: ProgramListRow
  onClose(): void
}

/** Approves or rejects the version that waits for approval. */
export function AuditDialog({ row, onClose }: Props) {
  const { id, programName, waitingVer } = row
  const [form] = Form.useForm<{ auditStatus: 2 | 3; remark?: string }>()
  const audit = useWrite(programPublish.audit)
  const rejects = Form.useWatch('auditStatus', form) === 3
  const submit = ({ auditStatus, remark = '' }: { auditStatus: 2 | 3; remark?: string }) =>
    audit.mutate({ id, verNo: waitingVer, auditStatus, remark }, { onSuccess: onClose })
  return (
    <Modal
      open
      title={`审批「${programName}」版本 ${waitingVer}`}
      okText="提交"
      cancelText="取消"
      okButtonProps={{ danger: rejects }}
      confirmLoading={audit.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
      width={560}
    >
      <Earlier row={row} />
      <Form form={form} layout="vertical" initialValues={{ auditStatus: 2 }} onFinish={submit}>
        <Form.Item name="auditStatus" label="审批结果">
          <Radio.Group
            options={Object.entries(PROGRAM_AUDIT).map(([value, label]) => ({ value: Number(value), label }))}
          />
        </Form.Item>
        <Form.Item
          name="remark"
          label="审批意见"
          rules={[
            { validator: createMaxLengthValidator('审批意见', MAX_REMARK) },
            ...(rejects ? [{ required: true, whitespace: true, message: '请填写驳回原因' }] : []),
          ]}
        >
          <Input.TextArea rows={3} {...showCount(MAX_REMARK)} placeholder={rejects ? '请填写驳回原因' : '可不填'} />
        </Form.Item>
      </Form>
    </Modal>
  )
}

const Earlier = ({ row }: Pick<Props, 'row'>) => useMayCall()(programs.versions) && <EarlierProgramReviews row={row} />
