import { MAX_REPORTS } from '@oms/contract/advertise/device-calls.ts'
import { PlayWriterBusyError } from '#domain/ads/plays/play-writer.ts'
import { MAX_LOG_BYTES, readSmilLog, InvalidLogError } from '#domain/ads/plays/smil-log.ts'
import { readReport } from '#protocols/shared/read-body.ts'
import { DeviceError, sendEmpty, badRequest } from '#protocols/shared/response.ts'
import { readReportingDevice, type ScreenRequest } from '#protocols/shared/access/screen-call.ts'

const CREATED = 201

/** `PUT log/playlog-{uuid}.xml`: stores the plays of a log. The first log of a player is empty. */
export async function handlePlayLog({ side, request, response, now }: ScreenRequest, slot: number) {
  const { text, isCut } = await readReport(request, MAX_LOG_BYTES)
  if (isCut) throw new DeviceError(413, 'body too large')
  const device = readReportingDevice(side, slot)
  const { ingest, index } = side.services.adDelivery
  try {
    const reports = await ingest.smilReports(device, readSmilLog(text), index.setOf(slot).zone)
    for (let at = 0; at < reports.length; at += MAX_REPORTS)
      await ingest.take(device, reports.slice(at, at + MAX_REPORTS), now)
  } catch (error) {
    if (error instanceof InvalidLogError) throw badRequest(error.message)
    throw error instanceof PlayWriterBusyError ? new DeviceError(503, 'busy', 30) : error
  }
  sendEmpty(response, CREATED)
}
