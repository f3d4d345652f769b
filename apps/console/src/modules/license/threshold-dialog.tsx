import { licenseCerts } from '@oms/contract/license.ts'
import { LICENSE_VENDORS } from '@oms/contract/license-uid.ts'
import { Button, InputNumber, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#kernel/query.ts'
import './license.css'

/** From what stock on people are warned, vendor by vendor. */
export function ThresholdDialog({ onClose }: { onClose(): void }) {
  const { data } = useRead(licenseCerts.thresholds, {}, { keepPrevious: false })
  return (
    <Modal open title="库存预警设置" footer={null} onCancel={onClose}>
      <p className="license-hint">库存低于预警数量时，向拥有证书详情权限的人员发送一次站内消息；填 0 表示不预警。</p>
      {data ? (
        <table className="license-table">
          <thead>
            <tr>
              <th>厂商</th>
              <th className="license-numbers">当前库存</th>
              <th>预警数量</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {data.list.map((row) => (
              <Line key={row.vendor} {...row} />
            ))}
          </tbody>
        </table>
      ) : (
        <Skeleton active title={false} />
      )}
    </Modal>
  )
}

function Line({ vendor, threshold, stock }: { vendor: number; threshold: number; stock: number }) {
  const [value, setValue] = useState<number | null>(threshold)
  const save = useWrite(licenseCerts.saveThreshold)
  const name = LICENSE_VENDORS[vendor as keyof typeof LICENSE_VENDORS]
  return (
    <tr>
      <td>{name}</td>
      <td className="license-numbers">{stock.toLocaleString()}</td>
      <td>
        <InputNumber
          aria-label={`${name}预警数量`}
          min={0}
          max={10_000_000}
          precision={0}
          value={value}
          onChange={setValue}
          style={{ width: '100%' }}
        />
      </td>
      <td>
        <Button
          size="small"
          type="link"
          loading={save.isPending}
          disabled={value === null || value === threshold}
          onClick={() => save.mutate({ vendor, threshold: value ?? 0 } as never)}
        >
          保存
        </Button>
      </td>
    </tr>
  )
}
