import { tenant } from '@oms/contract/tenant/tenant.ts'
import { Button, Form, Modal, Space } from 'antd'
import dayjs from 'dayjs'
import { call, readFresh } from '#core/api/client.ts'
import { formatDayBeforeToday, formatWallClock } from '#core/text/format.ts'
import { NoteField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { Tenant } from './use-tenant-actions.tsx'

const FORMAT = 'YYYY-MM-DD HH:mm:ss'
const STEPS = [
  ['1个月', 1],
  ['半年', 6],
  ['1年', 12],
  ['3年', 36],
] as const

/** Form that extends a tenant. The new end counts from the old end, or from today when the tenant has expired. */
export function TenantRenew({ row, onClose }: { row: Tenant; onClose(): void }) {
  const read = () => readFresh(tenant.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title={`续期 ${row.name}`} onClose={onClose}>
      {(fresh) => <RenewForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

type Term = Pick<Tenant, 'id' | 'rev' | 'name' | 'expireTime'>
const forForm = ({ id, rev, expireTime }: Term) => ({ id, rev, expireTime })

function RenewForm({ row, onClose }: { row: Term; onClose(): void }) {
  const { modal, form } = useFormModal(tenant.renew, {
    onClose,
    initial: forForm(row),
    latest: async () => forForm(await call(tenant.get, { id: row.id })),
  })
  const from = dayjs(
    row.expireTime && row.expireTime > formatWallClock() ? row.expireTime : `${formatDayBeforeToday()} 23:59:59`,
  )
  const set = (value: string | null) => {
    form.form.setFieldsValue({ expireTime: value })
    form.onValuesChange({ expireTime: value })
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
