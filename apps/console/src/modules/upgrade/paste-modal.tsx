import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import { MAX_SNS } from '@oms/contract/device/device-fields.ts'
import { Alert, Input, Modal } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { useReleaseCalls } from './release-calls.ts'

const partsOf = (text: string) => [...new Set(splitCodes(text))]

interface Done {
  readonly count: number
  readonly unchanged: number
  readonly missing: readonly string[]
}

/** Adds pasted serial numbers to the allowlist, 1,000 at a time, and lists the unknown serial numbers. */
export function PasteModal({ otaId, verName, onClose }: { otaId: number; verName: string; onClose(): void }) {
  const [text, setText] = useState('')
  const { done, setDone, isPending, run } = usePaste(otaId, onClose)
  const sns = partsOf(text)
  const tooLong = sns.find((sn) => sn.length > 64)
  return (
    <Modal
      open
      title={`粘贴序列号加入「${verName}」白名单`}
      okText="加入"
      cancelText="关闭"
      confirmLoading={isPending}
      okButtonProps={{ disabled: sns.length === 0 || tooLong !== undefined }}
      onOk={() => void run(sns).catch(() => {})}
      onCancel={onClose}
    >
      <p>每行一个序列号，也可用逗号、空格分隔；只会加入该版本型号的设备。</p>
      <Input.TextArea
        autoFocus
        aria-label="序列号列表"
        rows={10}
        value={text}
        placeholder={'SN20260001\nSN20260002'}
        onChange={({ target }) => {
          setText(target.value)
          setDone(undefined)
        }}
      />
      <p role="status" style={{ margin: '8px 0 0' }}>
        {tooLong ? `序列号「${tooLong.slice(0, 20)}…」超过 64 个字符` : `共 ${sns.length} 个序列号`}
      </p>
      {done && <MissingAlert done={done} />}
    </Modal>
  )
}

/** Adds serial numbers to the allowlist. Closes the dialog when every serial number is known. */
function usePaste(otaId: number, onClose: () => void) {
  const calls = useReleaseCalls()
  const [done, setDone] = useState<Done>()
  const { mutateAsync, isPending } = useWrite(calls.white.put, { alsoChanges: ['upgrade'] })
  const run = async (sns: readonly string[]) => {
    let sum: Done = { count: 0, unchanged: 0, missing: [] }
    for (let at = 0; at < sns.length; at += MAX_SNS) {
      const { count, unchanged, missing } = await mutateAsync({ otaId, sns: sns.slice(at, at + MAX_SNS) })
      sum = { count: sum.count + count, unchanged: sum.unchanged + unchanged, missing: [...sum.missing, ...missing] }
    }
    if (sum.missing.length === 0) onClose()
    else setDone(sum)
  }
  return { done, setDone, isPending, run }
}

function MissingAlert({ done }: { done: Done }) {
  return (
    <Alert
      style={{ marginTop: 8 }}
      type="warning"
      showIcon
      title={`新加入 ${done.count} 台，${done.unchanged} 台已在白名单中；以下 ${done.missing.length} 个不是该版本型号的设备：`}
      description={<pre className="kit-code">{done.missing.join('\n')}</pre>}
    />
  )
}
