import {
  type DeviceAccess,
  DeviceAccessInput,
  deviceAccess,
  MAX_POLL_SECONDS,
  MIN_POLL_SECONDS,
} from '@oms/contract/device-access.ts'
import { Button, Form } from 'antd'
import type * as z from 'zod'
import { call } from '#kernel/call.ts'
import { Field, NumberField, SwitchField } from '#kit/field.tsx'
import { useSaveForm } from '#kit/use-save-form.ts'
import { OptionSelect } from './option-select.tsx'

type Access = z.output<typeof DeviceAccess>
const forForm = (access: Access) => ({ ...access, autoModelId: access.autoModelId ?? undefined })

/** The settings themselves. */
export function AccessForm({ loaded }: { loaded: Access }) {
  const { tenantId } = loaded
  const { form, saving, dirty } = useSaveForm(deviceAccess.update, {
    initial: forForm(loaded),
    latest: async () => forForm(await call(deviceAccess.get, { tenantId })),
  })
  const gateway = Form.useWatch<number | undefined>('gatewayToken', form.form)
  return (
    <Form {...form}>
      <SwitchField
        of={DeviceAccessInput}
        name="targetToken"
        on="开启"
        off="关闭"
        hint="每台设备有自己的令牌，在设备信息中生成；推荐"
      />
      <SwitchField
        of={DeviceAccessInput}
        name="gatewayToken"
        on="开启"
        off="关闭"
        disabled={!loaded.hasGatewayToken && gateway !== 1}
        hint={
          loaded.hasGatewayToken
            ? '一个令牌供该客户全部设备使用；泄露后请立即更换'
            : '一个令牌供该客户全部设备使用；请先生成网关令牌'
        }
      />
      <Field
        of={DeviceAccessInput}
        name="autoModelId"
        hint="开启网关令牌时，未登记的序列号第一次连接就登记为该型号的设备；不选则拒绝未登记的设备"
      >
        <AutoModel access={loaded} />
      </Field>
      <NumberField
        of={DeviceAccessInput}
        name="pollSeconds"
        unit="秒"
        min={MIN_POLL_SECONDS}
        max={MAX_POLL_SECONDS}
        hint="设备两次查询之间的时间，30 秒到 23 小时；设备越多间隔应越长"
      />
      <Button type="primary" htmlType="submit" loading={saving} disabled={!dirty}>
        保存
      </Button>
    </Form>
  )
}

interface AutoModelProps {
  access: Access
  id?: string
  value?: number
  onChange?: (id: number | undefined) => void
}

/** The model there is may not be among the first hundred offered. */
function AutoModel({ access, ...control }: AutoModelProps) {
  const { autoModelId, autoModelName } = access
  const placeholder = autoModelId !== null && control.value === autoModelId ? autoModelName : '不自动登记'
  return <OptionSelect {...control} what="models" placeholder={placeholder} />
}
