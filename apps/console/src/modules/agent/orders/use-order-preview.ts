import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { splitSerials } from '@oms/contract/agent/orders/order-entities.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { Form, type FormInstance } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useDebounced } from '#kit/form/use-debounced.ts'

type Input = InputOf<typeof agentOrders.preview>
type Asked = Partial<Input> & { readonly scope?: number }

const WHOLE_TENANT = 3

/** Reads the preview of the order in the form. `isReady` is false while package, targets or copies are missing. */
export function useOrderPreview(form: FormInstance, isGift: 0 | 1) {
  const watched = Form.useWatch((all: Asked) => all, { form, preserve: true }) as Asked | undefined
  const input = toPreviewInput(JSON.parse(useDebounced(JSON.stringify(watched ?? {}))) as Asked, isGift)
  const isReady = input !== undefined
  const read = useRead(agentOrders.preview, input ?? ({} as Input), { quiet: true, enabled: isReady })
  return { isReady, data: read.data, error: read.error, isFetching: read.isFetching }
}

function toPreviewInput(values: Asked, isGift: 0 | 1): Input | undefined {
  const { scope, packageId, tenantId, deviceIds, groupId, serials, agentIds, copies, discount } = values
  const hasTargets =
    scope === WHOLE_TENANT ||
    groupId !== undefined ||
    [deviceIds, agentIds, splitSerials(serials ?? '')].some((list) => Array.isArray(list) && list.length > 0)
  if (packageId === undefined || !hasTargets || !copies) return undefined
  const goods = { packageId, tenantId, deviceIds, groupId, serials, agentIds, copies }
  return { ...goods, discount: isGift ? 0 : (discount ?? 0), isGift }
}
