import { storageOptions } from '@oms/contract/storage/options.ts'
import { type PackageDetail, storagePackages } from '@oms/contract/storage/package.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { Form } from 'antd'
import { useRef, useState } from 'react'
import { call } from '#core/api/client.ts'
import { Allowed, useCan, useSession } from '#core/auth/session.tsx'
import { Field, MoneyField, NumberField, SelectField } from '#kit/form/field.tsx'
import { PackageModelsPicker } from '#kit/pickers/package-scope-pickers.tsx'
import { useRecordTypes } from '../packages/package-cells.tsx'
import { PackagePicker } from '../storage-pickers.tsx'
import { CostPanel } from './cost-panel.tsx'

const VENDOR = '1'
const INITIAL = { recordType: 1, storageDays: 7, periodCount: 1, periodType: 2, price: 900, channels: 1, modelIds: [] }
type Models = PackageDetail['models']

/** Estimates cost and margin of freely chosen terms, or of the terms of a package. For staff of the vendor. */
export function Simulator() {
  const isVendor = useSession()?.ownerId === VENDOR
  const [form] = Form.useForm()
  const [models, setModels] = useState<Models>([])
  const onPackage = ({ models: chosen, ...terms }: PackageDetail) => {
    setModels(chosen)
    const { recordType, storageDays, periodCount, periodType, price, channels } = terms
    const fields = { recordType, storageDays, periodCount, periodType, price, channels }
    form.setFieldsValue({ ...fields, modelIds: chosen.map(({ id }) => id) })
  }
  if (!isVendor) return null
  return (
    <Allowed to={storageStats.simulate}>
      <section className="kit-card" aria-label="成本与毛利测算">
        <div className="stat-panel-head">
          <h2>成本与毛利测算</h2>
          <small>按实测上传量估算，不影响任何套餐</small>
        </div>
        <Form form={form} name="storageSimulator" layout="vertical" initialValues={INITIAL} className="stat-two">
          <Terms models={models} onPackage={onPackage} />
          <CostPanel />
        </Form>
      </section>
    </Allowed>
  )
}

function Terms({ models, onPackage }: { models: Models; onPackage(row: PackageDetail): void }) {
  const of = storageStats.simulate.input
  const recordTypes = useRecordTypes().options
  const can = useCan()
  return (
    <div className="storage-pair">
      {can(storagePackages.get.access) && <TermsOfPackage onPackage={onPackage} />}
      <SelectField of={of} name="recordType" options={recordTypes} />
      <SelectField of={of} name="storageDays" />
      <NumberField of={of} name="periodCount" />
      <SelectField of={of} name="periodType" />
      <MoneyField of={of} name="price" />
      <NumberField of={of} name="channels" unit="个" />
      <Field of={of} name="modelIds">
        <PackageModelsPicker key={models.map(({ id }) => id).join()} from={storageOptions.models} chosen={models} />
      </Field>
    </div>
  )
}

/** Fills the fields with the terms of a package. */
function TermsOfPackage({ onPackage }: { onPackage(row: PackageDetail): void }) {
  const [chosen, setChosen] = useState<number>()
  const latest = useRef<number>(undefined)
  const choose = async (id: number | undefined) => {
    setChosen(id)
    latest.current = id
    if (id === undefined) return
    // The client shows a failure as a toast; the fields then keep their values.
    const found = await call(storagePackages.get, { id }).catch(() => undefined)
    // Another package may have been chosen meanwhile.
    if (latest.current !== id) return
    if (found) onPackage(found)
    else setChosen(undefined)
  }
  return (
    <Form.Item label="按已有套餐填写" htmlFor="storageSimulator_package">
      <PackagePicker id="storageSimulator_package" {...(chosen !== undefined && { value: chosen })} onChange={choose} />
    </Form.Item>
  )
}
