import { GrantInput, GrantRow, licenseGrants, LEDGER_KIND } from '@oms/contract/license/license-grant.ts'
import type { Endpoint, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Drawer, Form, Modal, Button, Empty, Tabs } from 'antd'
import type * as z from 'zod'
import { call, readFresh } from '#core/api/client.ts'
import { APPROVAL, DecisionField, useDecisionButton } from '#kit/form/decision.tsx'
import { Field, NoteField, NumberField, SelectField, TextField } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer, useFormModal } from '#kit/form/use-form-modal.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { useTypeOptions, GrantTag, GrantQuota } from './license.tsx'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'

export function GrantForm({ onClose }: { onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(licenseGrants.create, { onClose })
  const many = useHasManyTenants()
  const types = useTypeOptions()
  const of = GrantInput
  return (
    <Drawer title="申请授权" {...drawer} footer={<FormFooter {...footer} saveText="提交申请" />}>
      <p className="kit-hint">提交后由其他有审批权限的人员审批，通过后立即生效。</p>
      <Form {...form}>
        {many && (
          <Field of={of} name="tenantId" hint="不选则归属当前客户">
            <TenantPicker onlyEnabled create="tenant" />
          </Field>
        )}
        <SelectField of={of} name="typeCode" options={types} />
        <Field of={of} name="modelId" hint="不选则不限型号">
          <DeviceModelPicker create="deviceModel" />
        </Field>
        <NumberField of={of} name="quota" unit="个" />
        <div className="kit-pair">
          <DateField of={of} name="validFrom" />
          <DateField of={of} name="validTo" />
        </div>
        <TextField of={of} name="contractNo" />
        <NoteField of={of} name="remark" rows={3} />
      </Form>
    </Drawer>
  )
}

interface DialogProps {
  readonly kind: 'audit' | 'renew' | 'addQuota' | 'revoke'
  readonly row: GrantRow
  onClose(): void
}
type Fields = z.ZodObject<Record<string, z.ZodType>>

const TITLES = { audit: '审批授权', renew: '续期', addQuota: '增加额度', revoke: '撤销授权' } as const

/** Approves, rejects or changes a grant. */
export function GrantDialog({ kind, row, onClose }: DialogProps) {
  const read = () => readFresh(licenseGrants.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title={`${TITLES[kind]} ${row.grantNo}`} onClose={onClose}>
      {(fresh) => <GrantDecision kind={kind} row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function GrantDecision({ kind, row, onClose }: DialogProps) {
  const to: Endpoint = licenseGrants[kind]
  const initial = { id: row.id, rev: row.rev }
  const { modal, form } = useFormModal(to, {
    onClose,
    initial,
    latest: async () => {
      const { id, rev } = await call(licenseGrants.get, { id: row.id })
      return { id, rev }
    },
  })
  const title = kind === 'revoke' && row.status === 0 ? '撤回申请' : TITLES[kind]
  const of = to.input as Fields
  const decision = useDecisionButton(form.form, 'pass', APPROVAL)
  return (
    <Modal
      title={`${title} ${row.grantNo}`}
      {...modal}
      okText={kind === 'audit' ? decision.okText : '保存'}
      okButtonProps={{ ...modal.okButtonProps, danger: kind === 'revoke' || decision.danger }}
    >
      <p className="kit-hint">
        {row.tenantName} · {row.typeCode} · {row.quota.toLocaleString()} 个 · {row.validFrom} 至 {row.validTo}
        {row.contractNo && ` · 合同 ${row.contractNo}`}
      </p>
      <Form {...form}>
        {kind === 'audit' && <AuditFields of={of} />}
        {kind === 'renew' && <DateField of={of} name="validTo" />}
        {kind === 'addQuota' && <NumberField of={of} name="amount" unit="个" />}
        {kind !== 'audit' && <NoteField of={of} name="reason" rows={3} />}
      </Form>
    </Modal>
  )
}

function AuditFields({ of }: { of: Fields }) {
  return (
    <>
      <DecisionField of={of} name="pass" decisions={APPROVAL} />
      <NoteField of={of} name="auditRemark" rows={3} />
    </>
  )
}

const { item, wide } = createDescriptions(GrantRow)
const ITEMS = [
  item('grantNo'),
  item('typeCode'),
  item('modelName', (name) => name || '不限'),
  item('remaining', (n) => n.toLocaleString()),
  item('contractNo'),
  item('validFrom'),
  item('validTo'),
  item('applyName'),
  item('createTime', time),
  item('auditName'),
  item('auditTime', time),
  wide('auditRemark'),
  wide('remark'),
]

/** Grant drawer: details, ledger and history. */
export function GrantDrawer(props: {
  rows: readonly GrantRow[]
  row: GrantRow | undefined
  onRow(row: GrantRow | undefined): void
}) {
  return (
    <DetailDrawer
      {...props}
      rowKey="id"
      title={({ grantNo }) => `授权 ${grantNo}`}
      head={(row) => ({
        state: <GrantTag status={row.status} />,
        facts: [
          ['客户', <TenantLink key="tenant" id={row.tenantId} name={row.tenantName} />],
          ['数量', <GrantQuota key="quota" row={row} />],
        ],
      })}
    >
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            { key: 'ledger', label: '额度流水', children: <Ledger key={row.id} id={row.id} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="license-grant" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Ledger({ id }: { id: number }) {
  const [pageSize, setPageSize] = useState(50)
  const { data, error, refetch } = useRead(licenseGrants.ledger, { id, pageNum: 1, pageSize }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty description="审批通过后开始记录" />
  return (
    <>
      <table className="kit-table" aria-label="额度流水">
        <thead>
          <tr>
            <th>时间</th>
            <th>类型</th>
            <th className="kit-number">变动</th>
            <th className="kit-number">余额</th>
            <th>操作人</th>
            <th>说明</th>
          </tr>
        </thead>
        <tbody>
          {data.list.map((line) => (
            <LedgerLine key={line.id} line={line} />
          ))}
        </tbody>
      </table>
      {data.total > pageSize && pageSize < 200 && (
        <Button block onClick={() => setPageSize(200)}>
          更多流水
        </Button>
      )}
    </>
  )
}

function LedgerLine({ line }: { line: ResultOf<typeof licenseGrants.ledger>['list'][number] }) {
  return (
    <tr>
      <td>
        <Time at={line.createTime} />
      </td>
      <td>{LEDGER_KIND[line.kind as keyof typeof LEDGER_KIND] ?? line.kind}</td>
      <td className="kit-number">{`${line.amount > 0 ? '+' : ''}${line.amount.toLocaleString()}`}</td>
      <td className="kit-number">{line.balance.toLocaleString()}</td>
      <td>{line.operName}</td>
      <td>{line.reason}</td>
    </tr>
  )
}
