import { StatusReport } from '@oms/contract/advertise/device-calls.ts'
import { sendJson } from '#modules/device/wire/response.ts'
import { type ScreenRequest, readDeviceIds, requireScreenSlot } from '../screen-call.ts'
import { readJsonBody, requireSerial, toFieldError } from './call.ts'

/** `POST status`: stores the status of a screen. */
export async function handleScreenStatus(call: ScreenRequest) {
  const { side, request, response, now } = call
  const body = await readJsonBody(call)
  const slot = requireScreenSlot(call, requireSerial(body))
  const { data, error } = StatusReport.safeParse(body)
  if (!data) throw toFieldError(error)
  const { deviceId, tenantId } = readDeviceIds(side, slot)
  const { status, index } = side.services.adDelivery
  status.take({ ...data, deviceId, tenantId, at: now, isScreen: index.hasScreen(slot) })
  sendJson(request, response, 200, {})
}
