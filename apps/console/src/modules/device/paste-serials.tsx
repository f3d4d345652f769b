import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import { MAX_SNS } from '@oms/contract/device/device-fields.ts'
import { Button, Input, Modal } from 'antd'
import { useState } from 'react'
import { saveBlob } from '#core/api/download.ts'

const parts = (text: string) => [...new Set(splitCodes(text))]

/** Returns the reason why the serial numbers cannot be searched, or undefined. */
function problemOf(sns: readonly string[]) {
  const tooMany = sns.length > MAX_SNS
  const tooLong = sns.find((sn) => sn.length > 64)
  return tooMany
    ? `一次最多查找 ${MAX_SNS} 个序列号，现有 ${sns.length} 个`
    : tooLong && `序列号「${tooLong.slice(0, 20)}…」超过 64 个字符`
}

/** Input for serial numbers pasted from a table or mail, one per line. */
export function PasteSerials({
  initial,
  onFind,
  onClose,
}: {
  initial: readonly string[]
  onFind(sns: readonly string[]): void
  onClose(): void
}) {
  const [text, setText] = useState(initial.join('\n'))
  const sns = parts(text)
  const problem = problemOf(sns)
  return (
    <Modal
      open
      title="按序列号批量查找"
      okText="查找"
      cancelText="取消"
      okButtonProps={{ disabled: sns.length === 0 || problem !== undefined }}
      onOk={() => onFind(sns)}
      onCancel={onClose}
    >
      <p className="kit-hint">粘贴序列号，每行一个，也可用逗号、空格分隔；重复的只查一次。</p>
      <Input.TextArea
        autoFocus
        aria-label="序列号列表"
        rows={12}
        value={text}
        {...(problem && { status: 'error' as const })}
        placeholder={'SN20260001\nSN20260002'}
        onChange={({ target }) => setText(target.value)}
      />
      <p className="kit-muted" role="status" style={{ marginTop: 8 }}>
        {problem ?? `共 ${sns.length} 个序列号`}
      </p>
    </Modal>
  )
}

/** Lists the unknown serial numbers, with a copy button. */
export function MissingSerials({ missing, onClose }: { missing: readonly string[]; onClose(): void }) {
  const download = () =>
    saveBlob(new Blob([`\ufeff${missing.join('\r\n')}\r\n`], { type: 'text/csv' }), '未找到的序列号.csv')
  return (
    <Modal
      open
      title={`未找到的序列号（${missing.length}）`}
      onCancel={onClose}
      footer={[
        <Button key="save" onClick={download}>
          下载
        </Button>,
        <Button key="close" type="primary" onClick={onClose}>
          关闭
        </Button>,
      ]}
    >
      <pre className="kit-code">{missing.join('\n')}</pre>
    </Modal>
  )
}
