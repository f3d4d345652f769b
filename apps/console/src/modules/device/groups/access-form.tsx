import { type DeviceAccess, DeviceAccessInput, deviceAccess } from '@oms/contract/device/device-access.ts'
import { Button, Form } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { Field, NumberField, SwitchField } from '#kit/form/field.tsx'
import { usePageForm } from '#kit/form/use-page-form.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'

type Access = z.output<typeof DeviceAccess>
const forForm = (access: Access) => ({ ...access, autoModelId: access.autoModelId ?? undefined })

/** Edits the device access settings. */
export function AccessForm({ loaded }: { loaded: Access }) {
  const { tenantId } = loaded
  const { form, saving, dirty } = usePageForm(deviceAccess.update, forForm(loaded), {
    latest: async () => forForm(await call(deviceAccess.get, { tenantId })),
  })
  const gateway = Form.useWatch<number | undefined>('gatewayToken', form.form)
  return (
    <Form {...form} disabled={saving}>
      <SwitchField
        of={DeviceAccessInput}
        name="targetToken"
        on="启用"
        off="停用"
        hint="每台设备有自己的令牌，在设备信息中生成；推荐"
      />
      <GatewaySwitch hasToken={loaded.hasGatewayToken} isOn={gateway === 1} />
      <AutoModelField loaded={loaded} />
      <NumberField
        of={DeviceAccessInput}
        name="pollSeconds"
        unit="秒"
        hint="设备两次检查之间的时间，30 秒到 23 小时；设备越多间隔应越长"
      />
      <Button type="primary" htmlType="submit" loading={saving} disabled={!dirty}>
        保存
      </Button>
    </Form>
  )
}

function GatewaySwitch({ hasToken, isOn }: { hasToken: boolean; isOn: boolean }) {
  return (
    <SwitchField
      of={DeviceAccessInput}
      name="gatewayToken"
      on="启用"
      off="停用"
      disabled={!hasToken && !isOn}
      hint={
        hasToken ? '一个令牌供该客户全部设备使用；泄露后请立即更换' : '一个令牌供该客户全部设备使用；请先生成网关令牌'
      }
    />
  )
}

function AutoModelField({ loaded }: { loaded: Access }) {
  return (
    <Field
      of={DeviceAccessInput}
      name="autoModelId"
      hint="启用网关令牌时，未登记的序列号第一次连接就登记为该型号的设备；不选则拒绝未登记的设备"
    >
      <DeviceModelPicker
        create="deviceModel"
        placeholder="不自动登记"
        chosen={loaded.autoModelId === null ? undefined : { id: loaded.autoModelId, name: loaded.autoModelName }}
      />
    </Field>
  )
}
