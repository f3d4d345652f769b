import { NOTICE_DAYS, ON_UNBIND, StorageSettings, storageSettings } from '@oms/contract/storage/setting.ts'
import { Checkbox, Divider, Drawer, Form, InputNumber, Radio } from 'antd'
import { call } from '#core/api/client.ts'
import { Field, NumberField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { multiplyExactly } from '#kit/form/form-values.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { buildLabelOptions } from '#kit/form/label-options.ts'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import './storage.css'

const NOTICES = NOTICE_DAYS.map((days) => ({ value: days, label: `${days} 天前` }))
/** Thousandths of a fen in one yuan. */
const PER_YUAN = 100_000

const read = () => call(storageSettings.get, {}, { quiet: true })

/** Settings of cloud storage that apply to the whole installation. */
export function SettingDrawer({ onClose }: { onClose(): void }) {
  return (
    <FreshRecord read={read} layer="drawer" title="云存参数" onClose={onClose}>
      {(stored) => <Loaded stored={stored} onClose={onClose} />}
    </FreshRecord>
  )
}

function Loaded({ stored, onClose }: { stored: StorageSettings & { readonly rev: number }; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(storageSettings.save, { onClose, initial: stored, latest: read })
  const of = StorageSettings
  return (
    <Drawer {...drawer} title="云存参数" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <div className="storage-pair">
          <NumberField
            of={of}
            name="keepDays"
            unit="天"
            hint="通道最后一个套餐到期后，录像最多再保留的天数；在此期间续费可继续查看"
          />
          <NumberField
            of={of}
            name="twoPersonAbove"
            unit="台"
            hint="一次批量开通超过此台数须由他人审批，0 表示不审批"
          />
        </div>
        <Field of={of} name="noticeDays" hint="服务到期前提醒客户和用户">
          <Checkbox.Group options={NOTICES} />
        </Field>
        <Field of={of} name="onUnbind" hint="App用户解绑设备时，已暂停的套餐可在「云存开通」恢复">
          <Radio.Group options={buildLabelOptions(ON_UNBIND)} />
        </Field>
        <Divider titlePlacement="start" plain>
          成本（用于套餐的成本测算）
        </Divider>
        <CostFields />
      </Form>
    </Drawer>
  )
}

const CostFields = () => (
  <div className="storage-pair">
    <CostField name="storeCost" unit="元/GB·月" />
    <CostField name="putCost" unit="元/万次" />
    <CostField name="outCost" unit="元/GB" />
    <NumberField
      of={StorageSettings}
      name="playedShare"
      unit="%"
      hint="每月被用户回看的录像占比，实测满 7 天后以实测为准"
    />
  </div>
)

/** Field of a cost: the form's value is in thousandths of a fen, the control shows yuan. */
const CostField = ({ name, unit }: { name: 'storeCost' | 'putCost' | 'outCost'; unit: string }) => (
  <Field
    of={StorageSettings}
    name={name}
    normalize={(yuan) => multiplyExactly(yuan, PER_YUAN)}
    getValueProps={(value) => ({ value: typeof value === 'number' ? value / PER_YUAN : value })}
  >
    <InputNumber style={{ width: '100%' }} step={0.01} suffix={unit} />
  </Field>
)
