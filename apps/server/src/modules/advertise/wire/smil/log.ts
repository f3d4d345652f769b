import { MAX_REPORTS, type PlayReport } from '@oms/contract/advertise/device-calls.ts'
import { PlayWriterBusyError } from '../../plays/play-writer.ts'
import { MAX_LOG_BYTES, readSmilLog, InvalidLogError } from '../../plays/smil-log.ts'
import { findMediaKey } from '../../screens/smil-index.ts'
import { readReport } from '#modules/device/wire/read-body.ts'
import { DeviceError, sendEmpty, badRequest } from '#modules/device/wire/response.ts'
import { readReportingDevice, type ScreenRequest } from '../screen-call.ts'
import { recordMedia } from './held-media.ts'

const CREATED = 201

/** `PUT log/playlog-{uuid}.xml`: stores the plays of a log. The first log of a player has no plays. */
export async function handlePlayLog(call: ScreenRequest, slot: number) {
  const { side, request, response, now } = call
  const { text, isCut } = await readReport(request, MAX_LOG_BYTES)
  if (isCut) throw new DeviceError(413, 'body too large')
  const device = readReportingDevice(side, slot)
  const { ingest, index } = side.services.adDelivery
  try {
    const { plays, isWhole } = readSmilLog(text)
    const reports = await ingest.smilReports(device, plays, { zone: index.setOf(slot).zone, now })
    for (let at = 0; at < reports.length; at += MAX_REPORTS) {
      const batch = reports.slice(at, at + MAX_REPORTS)
      const { rejected } = await ingest.take(device, batch, now)
      const refused = new Set(rejected.map(({ reportId }) => reportId))
      const stored = batch.filter(({ reportId }) => !refused.has(reportId))
      recordMedia(call, slot, listPlayedMedia(call, slot, stored))
    }
    // The player keeps a log that is not accepted and sends it again. The complete plays of the log are stored only
    // once.
    if (!isWhole) throw badRequest('the body is no whole play log')
  } catch (error) {
    if (error instanceof InvalidLogError) throw badRequest(error.message)
    throw error instanceof PlayWriterBusyError ? new DeviceError(503, 'busy', 30) : error
  }
  sendEmpty(response, CREATED)
}

/** Returns the keys of the played files that the manifest of the screen still contains. */
function listPlayedMedia({ side }: ScreenRequest, slot: number, plays: readonly Partial<PlayReport>[]): string[] {
  const { index } = side.services.adDelivery
  const played = new Set(plays.map(({ adId, adVer }) => `${adId}:${adVer}`))
  const shown = index.manifestOf(slot).schedule.ads.filter(({ id, verNo }) => played.has(`${id}:${verNo}`))
  const size = index.smilSizeOf(slot)
  return shown.flatMap((ad) => findMediaKey(ad, size) ?? [])
}
