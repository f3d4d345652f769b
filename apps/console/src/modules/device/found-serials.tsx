import { devices } from '@oms/contract/device/device-info.ts'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead } from '#core/api/query.ts'
import { BatchMenu } from './batch-menu.tsx'

const MissingSerials = lazyAfterRender(() => import('./paste-serials.tsx'), 'MissingSerials')

interface FoundProps {
  readonly sns: readonly string[]
  /** Shares the query of the list, so that one request serves both. */
  readonly asked: object
  onEdit(): void
  onClear(): void
}

/** Shows how many of the pasted serial numbers were found, and which are missing. */
export function FoundSerials({ sns, asked, onEdit, onClear }: FoundProps) {
  const [shown, setShown] = useState(false)
  const { data } = useRead(devices.find, { ...asked, sns: [...sns] } as never)
  if (!data) return null
  const { total, missing, ids } = data
  const known = sns.length - missing.length
  return (
    <>
      <Alert
        type={missing.length > 0 ? 'warning' : 'success'}
        showIcon
        title={
          <span className="kit-row">
            按 {sns.length} 个序列号查找：找到 {known} 台{missing.length > 0 && `，${missing.length} 个未找到`}
            {total < known && `，其中 ${total} 台符合其他筛选条件`}
            {missing.length > 0 && (
              <Button size="small" type="link" onClick={() => setShown(true)}>
                查看未找到的
              </Button>
            )}
            {ids.length > 0 && <BatchMenu ids={ids} label={`批量操作全部 ${ids.length} 台`} onDone={() => {}} />}
            <Button size="small" type="link" onClick={onEdit}>
              修改
            </Button>
            <Button size="small" type="link" onClick={onClear}>
              清除
            </Button>
          </span>
        }
      />
      {shown && <MissingSerials missing={missing} onClose={() => setShown(false)} />}
    </>
  )
}
