import { notFound } from '#modules/device/wire/response.ts'
import { requireAuthenticatedDeviceSlot, type ScreenRequest } from '../screen-call.ts'
import { createStoredMediaSource, sendMediaFile } from '../send-media.ts'

/** `GET` and `HEAD media/{sn}/{sha256}`: a file of the screen's manifest, whole or a range. */
export async function sendMedia(call: ScreenRequest, sn: string, sha256: string) {
  const { side } = call
  const slot = requireAuthenticatedDeviceSlot(call, sn)
  const file = side.services.adDelivery.index.manifestOf(slot).files.get(sha256)
  if (!file) throw notFound('file')
  side.presence.saw(slot, call.ip, call.now)
  await sendMediaFile(call, slot, createStoredMediaSource(call, file))
}
