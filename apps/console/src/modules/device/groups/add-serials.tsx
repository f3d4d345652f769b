import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import { MAX_SNS } from '@oms/contract/device/device-fields.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { deviceGroups } from '@oms/contract/device/device-group.ts'
import { Alert, Button, Input } from 'antd'
import { useState } from 'react'
import { saveBlob } from '#core/api/download.ts'
import { useWrite } from '#core/api/query.ts'
import type { GroupNode } from './group-tree.ts'

const parts = (text: string) => [...new Set(splitCodes(text))]
const SHOWN = 20

/** Adds devices by pasted serial numbers and lists unknown ones. */
export function AddSerials({ group: { id, tenantId } }: { group: GroupNode }) {
  const [text, setText] = useState('')
  const add = useWrite(deviceGroups.addSns)
  const sns = parts(text)
  const problem = sns.length > MAX_SNS && `一次最多 ${MAX_SNS} 个序列号，现有 ${sns.length} 个`
  const result = add.data
  return (
    <div className="kit-stack">
      <p className="kit-hint">粘贴序列号，每行一个，也可用逗号、空格分隔；重复的只算一次。</p>
      <Input.TextArea
        aria-label="序列号列表"
        rows={12}
        value={text}
        {...(problem && { status: 'error' as const })}
        placeholder={'SN20260001\nSN20260002'}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="kit-row kit-apart">
        <span role="status">{problem || `共 ${sns.length} 个序列号`}</span>
        <Button
          type="primary"
          loading={add.isPending}
          disabled={sns.length === 0 || Boolean(problem)}
          onClick={() =>
            void add.mutateAsync({ id, sns }).then(
              () => setText(''),
              () => {},
            )
          }
        >
          添加到分组
        </Button>
      </div>
      {result && <AddResult result={result} isVendor={tenantId === 1} />}
    </div>
  )
}

interface AddResultProps {
  readonly result: ResultOf<typeof deviceGroups.addSns>
  readonly isVendor: boolean
}

function AddResult({ result, isVendor }: AddResultProps) {
  return (
    <Alert
      type={result.unknown.length > 0 ? 'warning' : 'success'}
      showIcon
      title={`已添加 ${result.added} 台，${result.already} 台已在分组中${result.full > 0 ? `，${result.full} 台所属分组已满` : ''}`}
      description={result.unknown.length > 0 && <Unknown sns={result.unknown} isVendor={isVendor} />}
    />
  )
}

function Unknown({ sns, isVendor }: { sns: readonly string[]; isVendor: boolean }) {
  const download = () =>
    saveBlob(new Blob([`\ufeff${sns.join('\r\n')}\r\n`], { type: 'text/csv' }), '未找到的序列号.csv')
  return (
    <>
      <p>
        {sns.length} 个序列号没有找到设备{!isVendor && '，或设备不属于该分组的客户'}：
      </p>
      <pre className="kit-code">
        {sns.slice(0, SHOWN).join('\n')}
        {sns.length > SHOWN && '\n…'}
      </pre>
      <Button size="small" onClick={download}>
        下载未找到的序列号
      </Button>
    </>
  )
}
