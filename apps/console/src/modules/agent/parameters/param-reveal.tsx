import { agentParams, type ParamRow, RevealInput } from '@oms/contract/agent/parameters/params.ts'
import { Button, Form, Modal } from 'antd'
import { useRef, useState } from 'react'
import { TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { copyVoiceServerConfig } from './copy-lines.ts'

interface Props {
  readonly row: Pick<ParamRow, 'code'>
  readonly tenantId: number | undefined
  onClose(): void
}

/** Asks for a reason, then shows a secret. The operation log records the reason. */
export function ParamReveal({ row: { code }, tenantId, onClose }: Props) {
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
