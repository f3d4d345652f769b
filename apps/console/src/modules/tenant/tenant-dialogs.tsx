import { tenant } from '@oms/contract/tenant/tenant.ts'
import { Button, Modal, Popconfirm, Switch, Form, Space } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import type { Tenant } from './tenant.tsx'
import './tenant.css'
import dayjs from 'dayjs'
import { call, readFresh } from '#core/api/client.ts'
import { formatDayBeforeToday, formatWallClock } from '#core/text/format.ts'
import { NoteField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

/** Shows the join code of a tenant. The code can be replaced and disabled. */
export function JoinCode({ row, onClose }: { row: Tenant; onClose(): void }) {
  const [now, setNow] = useState({ joinCode: row.joinCode, allowApply: row.allowApply })
  // Two mutations, so that each button works while the request of the other button is pending.
  const renewing = useWrite(tenant.joinCode)
  const allowing = useWrite(tenant.joinCode)
  const renew = async () => {
    const { joinCode } = await renewing.mutateAsync({ id: row.id })
    setNow((before) => ({ ...before, joinCode }))
  }
  const allow = async (on: boolean) => {
    const { allowApply } = await allowing.mutateAsync({ id: row.id, allowApply: on ? 1 : 0 })
    setNow((before) => ({ ...before, allowApply }))
  }
  return (
    <Modal open title={`加入码 ${row.name}`} onCancel={onClose} footer={<Button onClick={onClose}>关闭</Button>}>
      <p>新用户注册后，用加入码申请加入该客户，审批通过后即可使用。</p>
      <div className="kit-row tenant-code">
        <strong>
          <CopyText text={now.joinCode || '-'} />
        </strong>
        <RenewButton loading={renewing.isPending} onRenew={renew} />
      </div>
      <p className="kit-row tenant-code">
        <Switch
          className="kit-switch"
          aria-label="接受加入申请"
          checked={now.allowApply === 1}
          loading={allowing.isPending}
          checkedChildren="接受"
          unCheckedChildren="不接受"
          onChange={(on) => void allow(on).catch(() => {})}
        />
        <span>接受加入申请</span>
      </p>
    </Modal>
  )
}

function RenewButton({ loading, onRenew }: { loading: boolean; onRenew(): Promise<void> }) {
  return (
    <Popconfirm
      title="更换后原加入码立即失效，确定更换？"
      okText="更换"
      cancelText="取消"
      onConfirm={() => onRenew().catch(() => {})}
    >
      <Button size="small" loading={loading}>
        更换加入码
      </Button>
    </Popconfirm>
  )
}

const FORMAT = 'YYYY-MM-DD HH:mm:ss'
const STEPS = [
  ['1 个月', 1],
  ['半年', 6],
  ['1 年', 12],
  ['3 年', 36],
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
