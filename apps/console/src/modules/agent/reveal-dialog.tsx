import { agentModels, type ModelDetail } from '@oms/contract/agent/models/config.ts'
import { Form, Input, Modal } from 'antd'
import { useId, useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { CopyText } from '#kit/record/copy-text.tsx'

interface RevealProps {
  readonly row: ModelDetail
  readonly field: { readonly key: string; readonly label: string }
  onClose(): void
}

/** Asks for a reason and shows a secret. The server logs the account and the reason. */
export function RevealSecretDialog({ row, field, onClose }: RevealProps) {
  const id = useId()
  const [reason, setReason] = useState('')
  const reveal = useWrite(agentModels.reveal)
  const value = reveal.data?.value
  return (
    <Modal
      open
      title={`查看「${row.name}」的${field.label}`}
      okText={value === undefined ? '查看' : '关闭'}
      cancelButtonProps={{ style: value === undefined ? {} : { display: 'none' } }}
      okButtonProps={{ disabled: value === undefined && reason.trim() === '' }}
      confirmLoading={reveal.isPending}
      onOk={() => (value === undefined ? reveal.mutate({ id: row.id, field: field.key, reason }) : onClose())}
      onCancel={onClose}
    >
      {value === undefined ? (
        <Form layout="vertical" component={false}>
          <Form.Item label="查看原因" htmlFor={id} required extra="查看的人、时间和原因会记入操作日志">
            <Input
              id={id}
              value={reason}
              maxLength={100}
              showCount
              placeholder="请输入原因"
              onChange={(event) => setReason(event.target.value)}
            />
          </Form.Item>
        </Form>
      ) : (
        <p className="kit-mono kit-words">
          <CopyText text={value} />
        </p>
      )}
    </Modal>
  )
}
