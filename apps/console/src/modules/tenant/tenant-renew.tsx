import { tenant } from '@oms/contract/tenant.ts'
import { Button, Form, Modal, Space } from 'antd'
import dayjs from 'dayjs'
import { NoteField } from '#kit/field.tsx'
import { DateTimeField } from '#kit/field-date.tsx'
import { useFormModal } from '#kit/use-form-modal.ts'
import type { Tenant } from './use-tenant-actions.tsx'

const FORMAT = 'YYYY-MM-DD HH:mm:ss'
const STEPS = [
  ['1个月', 1],
  ['半年', 6],
  ['1年', 12],
  ['3年', 36],
] as const

/** A new end for one customer, counted from the old one while that still lies ahead. */
export function TenantRenew({ row, onClose }: { row: Tenant; onClose(): void }) {
  const { modal, form } = useFormModal(tenant.renew, {
    onClose,
    initial: { id: row.id, rev: row.rev, expireTime: row.expireTime },
  })
  const from = row.expireTime && dayjs(row.expireTime).isAfter(dayjs()) ? dayjs(row.expireTime) : dayjs().endOf('day')
  const set = (value: string | null) => {
    form.form.setFieldsValue({ expireTime: value })
    form.onValuesChange()
  }
  return (
    <Modal title={`续期 ${row.name}`} {...modal}>
      <p>当前到期时间：{row.expireTime ?? '长期'}</p>
      <Form {...form}>
        <DateTimeField of={tenant.renew.input} name="expireTime" hint="不填则长期有效" />
        <Space wrap style={{ marginBottom: 16 }}>
          {STEPS.map(([label, months]) => (
            <Button key={label} size="small" onClick={() => set(from.add(months, 'month').format(FORMAT))}>
              延长{label}
            </Button>
          ))}
          <Button size="small" onClick={() => set(null)}>
            长期
          </Button>
        </Space>
        <NoteField of={tenant.renew.input} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}
