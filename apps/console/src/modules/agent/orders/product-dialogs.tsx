import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Allowance, MAX_ALLOWANCES, GRANT_SCOPE, formatAllowance } from '@oms/contract/agent/packages/package-terms.ts'
import {
  agentProducts,
  type ProductDetail,
  ProductInput,
  ProductRow,
  type ProductVersionRow,
} from '@oms/contract/agent/packages/product.ts'
import { Alert, Button, Divider, Drawer, Form, InputNumber } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { Field, MoneyField, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { DeviceModelsPicker } from '#kit/pickers/model-picker.tsx'
import { TenantsPicker } from '#kit/pickers/tenant-picker.tsx'
import './product.css'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { PackageDetailDrawer, PackageScope, PackageVersions } from '#kit/record/package-detail-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import { formatDays, ProductPrice } from './order-cells.tsx'
import { type PackPreview as Pack, previewPacks } from '@oms/contract/agent/packages/pack-clock.ts'
import { useId, useState } from 'react'
import { formatWallClock } from '#core/text/format.ts'

const INITIAL = {
  allowances: [{ unit: 1, amount: 30 }],
  scope: 1,
  activateDays: 180,
  validDays: 30,
  originPrice: 0,
  isTrial: 0,
  sort: 0,
  status: 1,
  modelIds: [],
  tenantIds: [],
} as const

interface Closable {
  readonly onClose: () => void
}
interface RowProps extends Closable {
  readonly row: { readonly id: number; readonly packageName: string }
}
const readProduct = (row: RowProps['row']) => () => readFresh(agentProducts.get, { id: row.id }, row as ProductDetail)

export const ProductAddForm = ({ onClose }: Closable) => <AddForm onClose={onClose} />

/** Adds a package with the terms of another package. */
export const ProductCopy = ({ row, onClose }: RowProps) => (
  <FreshRecord of={row.id} read={readProduct(row)} layer="drawer" title="复制套餐" onClose={onClose}>
    {(from) => <AddForm from={from} onClose={onClose} />}
  </FreshRecord>
)

function AddForm({ from, onClose }: Closable & { from?: ProductDetail }) {
  const initial = from ? { ...forForm(from), packageName: undefined, packageCode: undefined, status: 1 } : INITIAL
  const { drawer, footer, form } = useFormDrawer(agentProducts.create, { onClose, initial: initial as never })
  return (
    <Drawer
      {...drawer}
      title={from ? `复制套餐「${from.packageName}」` : '新增套餐'}
      footer={<FormFooter {...footer} />}
    >
      <Form {...form}>
        <Fields {...(from && { row: from })} />
        <SwitchField of={agentProducts.create.input} name="status" />
        <Preview />
      </Form>
    </Drawer>
  )
}

export const ProductEditForm = ({ row, onClose }: RowProps) => (
  <FreshRecord of={row.id} read={readProduct(row)} layer="drawer" title="编辑套餐" onClose={onClose}>
    {(fresh) => <EditForm row={fresh} onClose={onClose} />}
  </FreshRecord>
)

function EditForm({ row, onClose }: Closable & { row: ProductDetail }) {
  const latest = async () => forForm(await call(agentProducts.get, { id: row.id }))
  const { drawer, footer, form } = useFormDrawer(agentProducts.update, { onClose, initial: forForm(row), latest })
  return (
    <Drawer {...drawer} title={`编辑套餐「${row.packageName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        {row.isSold === 1 && (
          <Alert
            type="info"
            showIcon
            className="kit-note"
            title="该套餐已售出，保存后将生成新版本，已售出的订单不受影响"
          />
        )}
        <Fields row={row} />
        <Preview />
      </Form>
    </Drawer>
  )
}

const forForm = ({ models, tenants, ...row }: ProductDetail) => ({
  ...row,
  modelIds: models.map(({ id }) => id),
  tenantIds: tenants.map(({ id }) => id),
})

function Fields({ row }: { row?: ProductDetail }) {
  const of = ProductInput
  return (
    <>
      <div className="kit-pair">
        <TextField of={of} name="packageName" />
        <TextField of={of} name="packageCode" />
      </div>
      <Allowances />
      <div className="kit-pair">
        <SelectField of={of} name="scope" hint="整个客户、单个智能体的所有设备共用，或每台设备单独使用" />
        <SwitchField of={of} name="isTrial" on="是" off="否" hint="仅单台设备的套餐；每台设备只能领取一次" />
        <NumberField of={of} name="activateDays" unit="天" hint="付款后须在此期限内首次连接" />
        <NumberField of={of} name="validDays" unit="天" hint="从首次连接起计算" />
        <MoneyField of={of} name="price" />
        <MoneyField of={of} name="originPrice" />
      </div>
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

/** Fields for up to five allowances, each with another unit. */
const Allowances = () => (
  <Form.List name="allowances">
    {(rows, { add, remove }) => (
      <>
        {rows.map(({ key, name }) => (
          <div key={key} className="product-allowance">
            <SelectField of={Allowance} name="unit" within={[name]} />
            <NumberField of={Allowance} name="amount" within={[name]} hint="0 表示不限" />
            <ReasonedButton
              type="text"
              icon={<DeleteOutlined />}
              aria-label={`移除第 ${name + 1} 项内容`}
              reason={rows.length === 1 ? '套餐至少有一项内容' : undefined}
              onClick={() => remove(name)}
            />
          </div>
        ))}
        {rows.length < MAX_ALLOWANCES && (
          <Button type="dashed" icon={<PlusOutlined />} className="kit-note" onClick={() => add({})}>
            添加内容
          </Button>
        )}
      </>
    )}
  </Form.List>
)

function Preview() {
  const form = Form.useFormInstance()
  const terms = Form.useWatch((values: object) => values, form) as
    | Parameters<typeof PackPreview>[0]['terms']
    | undefined
  return terms ? <PackPreview terms={terms} /> : null
}

const { item, wide } = createDescriptions(ProductRow)
const ITEMS = [
  item('packageName'),
  item('packageCode'),
  wide('content'),
  item('scope'),
  item('isTrial'),
  item('activateDays', formatDays),
  item('validDays', formatDays),
  item('price', (price, { originPrice }) => <ProductPrice price={price} originPrice={originPrice} />),
  item('status'),
  item('version'),
  item('wasSold'),
  item('sort'),
  item('updateTime', time),
  wide('description'),
]
const SCOPE: Readonly<Record<number, string>> = GRANT_SCOPE

/** Package drawer: terms with preview, versions and history. */
export const ProductDrawer = (props: RecordNavigation<ProductRow>) => (
  <PackageDetailDrawer
    {...props}
    bizType="agentProduct"
    details={(row) => <Details key={row.id} row={row} />}
    versions={(row) => <Versions key={row.id} row={row} />}
  />
)

function Details({ row }: { row: ProductRow }) {
  const { data, error, refetch } = useRead(agentProducts.get, { id: row.id }, { quiet: true, keepPrevious: false })
  return (
    <>
      <Descriptions row={row} items={ITEMS} />
      {data ? <PackageScope of={data} /> : <Waiting reads={[{ error, refetch }]} rows={2} />}
      <PackPreview terms={row} />
    </>
  )
}

function Versions({ row }: { row: ProductRow }) {
  const { data, error, refetch } = useRead(agentProducts.versions, { id: row.id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return <PackageVersions list={data.list} current={row.version} terms={(version) => <ProductTerms of={version} />} />
}

const ProductTerms = ({ of }: { of: ProductVersionRow }) => (
  <>
    {of.content} · {SCOPE[of.scope]} · 有效期 {formatDays(of.validDays)} · {formatCurrency(of.price)}
  </>
)

interface Terms {
  readonly allowances?: readonly { readonly unit?: number; readonly amount?: number }[]
  readonly scope?: number
  readonly activateDays?: number
  readonly validDays?: number
}

const MAX_COPIES = 12
const TARGET: Readonly<Record<number, string>> = GRANT_SCOPE
const dayOf = (at: number) => formatWallClock(new Date(at)).slice(0, 10)

/** Shows what a target gets for each copy of a package that is paid today, and when each copy ends. */
function PackPreview({ terms }: { terms: Terms }) {
  const [copies, setCopies] = useState(1)
  const [firstUse, setFirstUse] = useState(0)
  const [paidAt] = useState(() => Date.now())
  const { allowances = [], scope = 1, activateDays, validDays } = terms
  const content = allowances.flatMap(({ unit, amount }) =>
    unit === undefined || amount === undefined ? [] : [formatAllowance({ unit, amount })],
  )
  if (!activateDays || !validDays || content.length === 0) return null
  const packs = previewPacks({ activateDays, validDays }, paidAt, copies, firstUse)
  return (
    <section className="kit-block">
      <h3 className="kit-heading">预览：今天付款后，{TARGET[scope]}得到什么、何时结束</h3>
      <div className="kit-row">
        <Count label="份数" min={1} max={MAX_COPIES} value={copies} onChange={setCopies} />
        <Count label="付款后第几天首次连接" min={0} max={9999} value={firstUse} onChange={setFirstUse} />
      </div>
      {packs.length > 0 ? (
        <Packs packs={packs} content={content.join('、')} />
      ) : (
        <p className="kit-muted">已超过激活期限（{activateDays} 天），套餐作废。</p>
      )}
      <p className="kit-muted">多份按顺序使用，不合并；一份到期时没有用完的部分作废。</p>
    </section>
  )
}

interface CountProps {
  readonly label: string
  readonly min: number
  readonly max: number
  readonly value: number
  onChange(value: number): void
}

function Count({ label, min, max, value, onChange }: CountProps) {
  const id = useId()
  return (
    <div className="kit-row">
      <label htmlFor={id}>{label}</label>
      <InputNumber id={id} min={min} max={max} precision={0} value={value} onChange={(n) => onChange(n ?? min)} />
    </div>
  )
}

const Packs = ({ packs, content }: { packs: readonly Pack[]; content: string }) => (
  <ul className="kit-items">
    {packs.map((pack) => (
      <li key={pack.packNo}>
        <b>
          第 {pack.packNo} 份 · {content}
        </b>
        <span className="kit-muted">
          {dayOf(pack.beginTime)} 开始，{dayOf(pack.validUntil)} 结束；最晚 {dayOf(pack.activateUntil)} 前开始使用
        </span>
      </li>
    ))}
  </ul>
)
