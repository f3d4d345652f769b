import {
  type PackageDetail,
  PackageInput,
  storagePackages,
  PackageRow,
  type PackageVersionRow,
} from '@oms/contract/storage/package.ts'
import { Alert, Divider, Drawer, Form, Empty } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, MoneyField, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { DeviceModelsPicker } from '#kit/pickers/model-picker.tsx'
import { TenantsPicker } from '#kit/pickers/tenant-picker.tsx'
import { useRecordTypes, PackageStatus, PackagePrice, RecordTypeTag } from './package-cells.tsx'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { PackageDetailDrawer, PackageScope, PackageVersions } from '#kit/record/package-detail-drawer.tsx'
import { time } from '#kit/record/time.tsx'

const INITIAL = {
  recordType: 1,
  storageDays: 7,
  periodType: 2,
  periodCount: 1,
  originPrice: 0,
  channels: 1,
  isTrial: 0,
  preRecord: 0,
  eventRecord: 0,
  prolong: 0,
  dayLimitMb: 0,
  sort: 0,
  status: 1,
  modelIds: [],
  tenantIds: [],
} as const

/** Form that creates a package. A select of packages passes `onCreated` to receive the new package. */
export function PackageAddForm({ onClose, onCreated }: Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>) {
  const { drawer, footer, form } = useFormDrawer(storagePackages.create, {
    onClose,
    onSaved: ({ id }, { packageName }) => onCreated?.({ id, name: packageName }),
    initial: INITIAL as never,
  })
  return (
    <Drawer {...drawer} title="新增云存套餐" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields />
        <SwitchField of={storagePackages.create.input} name="status" />
      </Form>
    </Drawer>
  )
}

export function PackageEditForm({ row, onClose }: { row: { id: number; packageName: string }; onClose(): void }) {
  const read = () => readFresh(storagePackages.get, { id: row.id }, row as PackageDetail)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑云存套餐" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: PackageDetail; onClose(): void }) {
  const latest = async () => forForm(await call(storagePackages.get, { id: row.id }))
  const { drawer, footer, form } = useFormDrawer(storagePackages.update, { onClose, initial: forForm(row), latest })
  return (
    <Drawer {...drawer} title={`编辑云存套餐「${row.packageName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        {row.isSold === 1 && (
          <Alert
            type="info"
            showIcon
            className="kit-note"
            title="该套餐已售出，保存后将生成新版本，已开通的设备不受影响"
          />
        )}
        <Fields row={row} />
      </Form>
    </Drawer>
  )
}

const forForm = ({ models, tenants, ...row }: PackageDetail) => ({
  ...row,
  modelIds: models.map(({ id }) => id),
  tenantIds: tenants.map(({ id }) => id),
})

function Fields({ row }: { row?: PackageDetail }) {
  const of = PackageInput
  const recordTypes = useRecordTypes().options
  return (
    <>
      <div className="kit-pair">
        <TextField of={of} name="packageName" />
        <TextField of={of} name="packageCode" hint="订单和接口按编码引用套餐" />
        <SelectField of={of} name="recordType" options={recordTypes} />
        <SelectField of={of} name="storageDays" />
        <NumberField of={of} name="periodCount" />
        <SelectField of={of} name="periodType" />
        <MoneyField of={of} name="price" />
        <MoneyField of={of} name="originPrice" />
        <NumberField of={of} name="channels" unit="个" hint="一份套餐可同时开通的通道数" />
        <NumberField of={of} name="dayLimitMb" unit="MB" hint="0 表示不限制" />
      </div>
      <Recording />
      <Divider titlePlacement="start" plain>
        适用范围
      </Divider>
      <Field of={of} name="modelIds">
        <DeviceModelsPicker create="deviceModel" placeholder="不选表示全部型号" {...(row && { chosen: row.models })} />
      </Field>
      <Field of={of} name="tenantIds">
        <TenantsPicker
          onlyEnabled
          create="tenant"
          placeholder="不选表示全部客户"
          {...(row && { chosen: row.tenants })}
        />
      </Field>
      <NumberField of={of} name="sort" hint="数字小的排在前面" />
      <NoteField of={of} name="description" rows={3} />
    </>
  )
}

/** Settings of event recordings, and whether the package is a trial. */
function Recording() {
  const of = PackageInput
  const isEvent = Form.useWatch<number | undefined>('recordType') !== 1
  return (
    <div className="kit-pair">
      {isEvent && (
        <>
          <NumberField of={of} name="preRecord" unit="秒" />
          <NumberField of={of} name="eventRecord" unit="秒" />
          <SwitchField of={of} name="prolong" on="是" off="否" />
        </>
      )}
      <SwitchField of={of} name="isTrial" on="是" off="否" hint="每台设备只能领取一次" />
    </div>
  )
}

const { item, wide } = createDescriptions(PackageRow)
const seconds = (count: number) => `${count} 秒`
const ITEMS = [
  item('packageName'),
  item('packageCode'),
  item('recordType', (type) => <RecordTypeTag type={type} />),
  item('storageDays'),
  item('period'),
  item('price', (price, { originPrice }) => <PackagePrice price={price} originPrice={originPrice} />),
  item('channels'),
  item('isTrial'),
  item('preRecord', seconds),
  item('eventRecord', seconds),
  item('prolong'),
  item('dayLimitMb', (limit) => (limit === 0 ? '不限制' : `${limit.toLocaleString()} MB`)),
  item('status', (status) => <PackageStatus status={status} />),
  item('version'),
  item('sort'),
  item('updateTime', time),
  wide('description'),
]

/** Package drawer: terms, versions and history. */
export const PackageDrawer = (props: RecordNavigation<PackageRow>) => (
  <PackageDetailDrawer
    {...props}
    bizType="storagePackage"
    details={(row) => <Details key={row.id} row={row} />}
    versions={(row) => <Versions key={row.id} row={row} />}
  />
)

function Details({ row }: { row: PackageRow }) {
  const { data, error, refetch } = useRead(storagePackages.get, { id: row.id }, { quiet: true, keepPrevious: false })
  return (
    <>
      <Descriptions row={row} items={ITEMS} />
      {data ? <PackageScope of={data} /> : <Waiting reads={[{ error, refetch }]} rows={2} />}
    </>
  )
}

function Versions({ row }: { row: PackageRow }) {
  const { data, error, refetch } = useRead(
    storagePackages.versions,
    { id: row.id },
    { quiet: true, keepPrevious: false },
  )
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty />
  return <PackageVersions list={data.list} current={row.version} terms={(version) => <Terms of={version} />} />
}

const Terms = ({ of }: { of: PackageVersionRow }) => (
  <>
    <RecordTypeTag type={of.recordType} />
    保存 {of.storageDays} 天 · 有效期 {of.period} · {formatCurrency(of.price)} · {of.channels} 个通道
  </>
)
