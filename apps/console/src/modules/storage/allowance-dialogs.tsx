import {
  AllowanceChange,
  AllowanceInput,
  AllowanceRow,
  storageAllowances,
  ALLOWANCE_LEDGER,
} from '@oms/contract/storage/allowance.ts'
import { Form, Modal, Button, Tabs } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { Field, NoteField, NumberField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { PackagePicker } from './storage-pickers.tsx'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'

interface FormProps {
  readonly onClose: () => void
}

/** Grants an allowance, or changes the quota of an existing allowance. */
export function AllowanceForm({ row, onClose }: FormProps & { row: AllowanceRow | 'new' }) {
  if (row === 'new') return <GrantForm onClose={onClose} />
  const read = () => readFresh(storageAllowances.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑开通额度" onClose={onClose}>
      {(fresh) => <ChangeForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function GrantForm({ onClose }: FormProps) {
  const { modal, form } = useFormModal(storageAllowances.create, { onClose })
  const of = AllowanceInput
  return (
    <Modal title="发放开通额度" {...modal} okText="发放">
      <Form {...form}>
        <Field of={of} name="tenantId">
          <TenantPicker onlyEnabled create="tenant" />
        </Field>
        <Field of={of} name="packageId">
          <PackagePicker onSale create="storagePackage" />
        </Field>
        <NumberField of={of} name="quota" unit="份" />
        <NoteField of={of} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}

const valuesOf = ({ id, rev, quota, remark }: AllowanceRow) => ({ id, rev, quota, remark })

function ChangeForm({ row, onClose }: FormProps & { row: AllowanceRow }) {
  const { modal, form } = useFormModal(storageAllowances.update, {
    onClose,
    initial: valuesOf(row),
    latest: async () => valuesOf(await call(storageAllowances.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑开通额度「${row.tenantName}」`} {...modal}>
      <p className="kit-hint">
        {row.packageName} · 已使用 {row.used.toLocaleString()} 份
      </p>
      <Form {...form}>
        <NumberField of={AllowanceChange} name="quota" unit="份" />
        <NoteField of={AllowanceChange} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}

const { item, wide } = createDescriptions(AllowanceRow)
const ITEMS = [
  item('tenantName', (name, { tenantId }) => <TenantLink id={tenantId} name={name} />),
  item('packageName'),
  item('quota'),
  item('used'),
  item('remaining'),
  item('updateTime', time),
  wide('remark'),
]

/** Allowance drawer: details, ledger and history. */
export function AllowanceDrawer(props: {
  rows: readonly AllowanceRow[]
  row: AllowanceRow | undefined
  onRow(row: AllowanceRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ tenantName }) => `开通额度 ${tenantName}`}>
      {(row) => (
        <Tabs
          items={[
            {
              key: 'details',
              label: '基本信息',
              children: (
                <>
                  <Descriptions row={row} items={ITEMS} />
                  <section>
                    <h3 className="kit-heading">额度流水</h3>
                    <Ledger key={row.id} id={row.id} />
                  </section>
                </>
              ),
            },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="storageAllowance" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

const LEDGER_PAGES = [50, 200] as const

function Ledger({ id }: { id: number }) {
  const [pageSize, setPageSize] = useState<number>(LEDGER_PAGES[0])
  const { data, error, refetch } = useRead(storageAllowances.ledger, { id, pageNum: 1, pageSize }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return (
    <div className="kit-scroll">
      <table className="kit-table" aria-label="额度流水">
        <thead>
          <tr>
            <th>时间</th>
            <th>类型</th>
            <th className="kit-number">变动</th>
            <th className="kit-number">剩余</th>
            <th>操作人</th>
            <th>说明</th>
          </tr>
        </thead>
        <tbody>
          {data.list.map((line) => (
            <tr key={line.id}>
              <td>
                <Time at={line.createTime} />
              </td>
              <td>{ALLOWANCE_LEDGER[line.kind as keyof typeof ALLOWANCE_LEDGER]}</td>
              <td className="kit-number">{`${line.amount > 0 ? '+' : ''}${line.amount.toLocaleString()}`}</td>
              <td className="kit-number">{line.balance.toLocaleString()}</td>
              <td>{line.operName}</td>
              <td>{line.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.total > pageSize && pageSize < LEDGER_PAGES[1] && (
        <Button block onClick={() => setPageSize(LEDGER_PAGES[1])}>
          更多流水
        </Button>
      )}
    </div>
  )
}
