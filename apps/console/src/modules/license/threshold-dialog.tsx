import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { LOW_STOCK_PERCENT, type TenantStatRow } from '@oms/contract/license/license-statistics.ts'
import { Button, Form, InputNumber, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { Field } from '#kit/form/field.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useVendorLabels } from './license-cells.tsx'

/** Sets the low-stock thresholds per vendor. */
export function ThresholdDialog({ onClose }: { onClose(): void }) {
  const { data, error, refetch } = useRead(licenseCerts.thresholds, {}, { keepPrevious: false, quiet: true })
  const maySave = useMayCall()(licenseCerts.saveThreshold)
  return (
    <Modal open title="库存预警设置" footer={null} onCancel={onClose} afterOpenChange={focusFirstFieldOnOpen}>
      <p className="kit-hint">库存低于预警数量时，向拥有证书详情权限的人员发送一次站内消息；填 0 表示不预警。</p>
      {!maySave && <p className="kit-hint">{SHARED_DATA_MESSAGE}。</p>}
      {data ? (
        <table className="kit-table">
          <thead>
            <tr>
              <th>厂商</th>
              <th className="kit-number">当前库存</th>
              <th>预警数量</th>
              <th>操作</th>
            </tr>
          </thead>
          <tbody>
            {data.list.map((row) => (
              <Line key={row.vendor} {...row} />
            ))}
          </tbody>
        </table>
      ) : error ? (
        <LoadFailed refusal={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton active title={false} />
      )}
    </Modal>
  )
}

function Line({ vendor, threshold, stock }: { vendor: number; threshold: number; stock: number }) {
  const [value, setValue] = useState<number | null>(threshold)
  const save = useWrite(licenseCerts.saveThreshold)
  const name = useVendorLabels().label(vendor)
  const maySave = useMayCall()(licenseCerts.saveThreshold)
  return (
    <tr>
      <td>{name}</td>
      <td className="kit-number">{stock.toLocaleString()}</td>
      <td>
        <InputNumber
          aria-label={`${name}预警数量`}
          min={0}
          max={10_000_000}
          precision={0}
          value={value}
          onChange={setValue}
          disabled={!maySave}
          style={{ width: '100%' }}
        />
      </td>
      <td>
        <Button
          size="small"
          type="link"
          loading={save.isPending}
          disabled={!maySave || value === null || value === threshold}
          onClick={() => save.mutate({ vendor, threshold: value ?? 0 } as never)}
        >
          保存
        </Button>
      </td>
    </tr>
  )
}

/** Sets the low-stock threshold of one tenant. */
export function TenantThreshold({ row, onClose }: { row: TenantStatRow; onClose(): void }) {
  const { tenantId, tenantName, threshold } = row
  const { modal, form } = useFormModal(licenseCerts.saveTenantThreshold, {
    onClose,
    initial: { tenantId, threshold: threshold ?? undefined },
    input: ({ threshold: given }) => ({ tenantId, ...(typeof given === 'number' && { threshold: given }) }),
  })
  return (
    <Modal title={`「${tenantName}」的库存预警`} {...modal}>
      <p className="kit-hint">
        未使用的证书低于预警数量时，向该客户和平台拥有证书详情权限的人员发送一次站内消息。不填则为累计持有的{' '}
        {LOW_STOCK_PERCENT}
        %，填 0 不预警。
      </p>
      <Form {...form}>
        <Field of={licenseCerts.saveTenantThreshold.input} name="threshold">
          <InputNumber
            min={0}
            max={10_000_000}
            precision={0}
            placeholder={`累计持有的 ${LOW_STOCK_PERCENT}%`}
            style={{ width: '100%' }}
          />
        </Field>
      </Form>
    </Modal>
  )
}
