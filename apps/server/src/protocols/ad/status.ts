import { StatusReport } from '@oms/contract/advertise/device-calls.ts'
import { sendJson } from '#protocols/shared/response.ts'
import { type ScreenRequest, playDevice, screenSlot } from '#protocols/shared/access/screen-call.ts'
import { bodyOf, serialOf, wrongField } from './call.ts'

/** `POST status`: stores the status of a screen. */
export async function status(call: ScreenRequest) {
  const { side, request, response, now } = call
  const body = await bodyOf(call)
  const slot = screenSlot(call, serialOf(body))
  const { data, error } = StatusReport.safeParse(body)
  if (!data) throw wrongField(error)
  const { deviceId, tenantId } = playDevice(side, slot)
  side.services.adDelivery.status.take({ ...data, deviceId, tenantId, at: now })
  sendJson(request, response, 200, {})
}
