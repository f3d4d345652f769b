import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Allowance, MAX_ALLOWANCES } from '@oms/contract/agent/packages/package-terms.ts'
import { agentProducts, type ProductDetail, ProductInput } from '@oms/contract/agent/packages/product.ts'
import { Alert, Button, Divider, Drawer, Form } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { Field, MoneyField, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { DeviceModelsPicker } from '#kit/pickers/model-picker.tsx'
import { TenantsPicker } from '#kit/pickers/tenant-picker.tsx'
import { PackPreview } from './pack-preview.tsx'
import './product.css'

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
              aria-label={`移除第${name + 1}项内容`}
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
