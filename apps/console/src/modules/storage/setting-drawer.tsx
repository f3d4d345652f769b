import { NOTICE_DAYS, ON_UNBIND, StorageSettings, storageSettings } from '@oms/contract/storage/setting.ts'
import { Checkbox, Drawer, Form, Radio } from 'antd'
import { call } from '#core/api/client.ts'
import { Field, NumberField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { buildLabelOptions } from '#kit/form/label-options.ts'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'

const NOTICES = NOTICE_DAYS.map((days) => ({ value: days, label: `${days} 天前` }))

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
        <div className="kit-pair">
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
      </Form>
    </Drawer>
  )
}
