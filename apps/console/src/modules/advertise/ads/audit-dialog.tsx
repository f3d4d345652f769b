import { type ProgramListRow, programs } from '@oms/contract/advertise/program.ts'
import { PROGRAM_AUDIT, programPublish } from '@oms/contract/advertise/program-publish.ts'
import { Form, Input, Modal } from 'antd'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { DecisionField, type Decisions, useDecisionButton } from '#kit/form/decision.tsx'
import { showCount, createMaxLengthValidator } from '#kit/form/text-limit.ts'
import { EarlierProgramReviews } from '../programs/earlier-program-reviews.tsx'

const MAX_REMARK = 200
const REJECT = 3
const DECISIONS: Decisions = [2, REJECT].map((value) => [value, PROGRAM_AUDIT[value as 2 | 3]])

interface Props {
  readonly row: ProgramListRow
  onClose(): void
}

/** Approves or rejects the version that waits for approval. */
export function AuditDialog({ row, onClose }: Props) {
  const { id, programName, waitingVer } = row
  const [form] = Form.useForm<{ auditStatus: 2 | 3; remark?: string }>()
  const audit = useWrite(programPublish.audit)
  const { okText, danger: rejects } = useDecisionButton(form, 'auditStatus', DECISIONS)
  const submit = ({ auditStatus, remark = '' }: { auditStatus: 2 | 3; remark?: string }) =>
    audit.mutate({ id, verNo: waitingVer, auditStatus, remark }, { onSuccess: onClose })
  return (
    <Modal
      open
      title={`审批「${programName}」版本 ${waitingVer}`}
      okText={okText}
      cancelText="取消"
      okButtonProps={{ danger: rejects }}
      confirmLoading={audit.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
      width={560}
    >
      <Earlier row={row} />
      <Form form={form} layout="vertical" onFinish={submit}>
        <DecisionField of={programPublish.audit.input} name="auditStatus" decisions={DECISIONS} />
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
