import { MAX_REPORTS } from '@oms/contract/advertise/device-calls.ts'
import { PlayWriterBusyError } from '../../plays/play-writer.ts'
import { DeviceError, sendJson, badRequest } from '#modules/device/wire/response.ts'
import { readReportingDevice, type ScreenRequest, requireScreenSlot } from '../screen-call.ts'
import { readJsonBody, requireSerial } from './call.ts'

/** `POST report`: stores played ads. The player removes all reports of a successful call from its queue. */
export async function handlePlayReport(call: ScreenRequest) {
  const { side, request, response, now } = call
  const body = await readJsonBody(call)
  const slot = requireScreenSlot(call, requireSerial(body))
  const { reports } = body
  if (!Array.isArray(reports)) throw badRequest('reports must be a list')
  if (reports.length > MAX_REPORTS) throw new DeviceError(413, `at most ${MAX_REPORTS} reports`)
  const { ingest } = side.services.adDelivery
  const reply = await ingest.take(readReportingDevice(side, slot), reports, now).catch((error: unknown) => {
    throw error instanceof PlayWriterBusyError ? new DeviceError(503, 'busy', 30) : error
  })
  sendJson(request, response, 200, reply)
}
