import { iterateAgenda } from '@oms/contract/advertise/engine/agenda.ts'
import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { chooseRendition, createCodecTest } from '@oms/contract/advertise/engine/renditions.ts'
import { sendJson, badRequest } from '#modules/device/wire/response.ts'
import { type ScreenRequest, requireScreenSlot } from '../screen-call.ts'

const HOUR_MS = 3_600_000
const MAX_HOURS = 48
/** Maximum number of slots of one response, about 4 MB. A response that reaches the maximum ends earlier (`until`). */
const MAX_SLOTS = 20_000
const MAX_MS = 253_402_214_400_000

interface Question {
  readonly from: number
  readonly hours: number
  readonly screen: Parameters<typeof chooseRendition>[1]
}

/** `GET agenda/{sn}?from&hours`: the slots of the manifest as a list, for players without the schedule engine. */
export function sendAgenda(call: ScreenRequest, sn: string) {
  const { side, request, response } = call
  const slot = requireScreenSlot(call, sn)
  const { from, hours, screen } = questionOf(call)
  const { schedule, etag } = side.services.adDelivery.index.manifestOf(slot)
  const files = new Map(schedule.ads.map((ad) => [ad.id, { type: ad.type, ...fileOf(ad, screen) }]))
  let until = from + hours * HOUR_MS
  const slots = []
  for (const { verNo: ver, hold, start, ms, programId, itemId, adId, adVer } of iterateAgenda(schedule, from, until)) {
    if (slots.length >= MAX_SLOTS) {
      until = start
      break
    }
    const ids = { programId, ver, itemId, adId, adVer }
    slots.push({ start, ms, ...ids, ...files.get(adId), ...(hold && { hold }) })
  }
  sendJson(request, response, 200, { etag, zone: schedule.zone, from, until, slots, ads: schedule.ads })
}

/** Returns the rendition for the screen; nothing for texts, web addresses, and codecs that the screen cannot play. */
function fileOf(ad: ManifestAd, screen: Question['screen']) {
  const file = chooseRendition(ad, screen)
  return file && { file: file.sha256, mime: file.mime, size: file.size }
}

/** Reads the query: the span, and the size and codecs of the screen (absent: 1920×1080, every codec). */
function questionOf({ now, search }: ScreenRequest): Question {
  const query = new URLSearchParams(search)
  const numberOf = (name: string, fallback: number, [min, max]: readonly [number, number]) => {
    const text = query.get(name)
    const value = text === null ? fallback : Number(text)
    if ((text !== null && !/^\d{1,15}$/.test(text)) || value < min || value > max)
      throw badRequest(`${name} must be ${min} to ${max}`)
    return value
  }
  const codecs = (query.get('codecs') ?? '').split(',').filter((codec) => codec.trim() !== '')
  return {
    from: numberOf('from', now, [0, MAX_MS]),
    hours: numberOf('hours', 1, [1, MAX_HOURS]),
    screen: {
      width: numberOf('width', 1920, [1, 32_767]),
      height: numberOf('height', 1080, [1, 32_767]),
      mayPlay: createCodecTest(codecs),
    },
  }
}
