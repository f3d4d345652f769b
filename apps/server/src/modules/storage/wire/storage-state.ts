import {
  RECORDING_TYPE_CODE,
  type RefusalReason,
  findRefusalReason,
  createSampleRecording,
} from '../video/permit-rules.ts'
import { computeNextCheck } from './next-check.ts'
import type { PlainCall, PlainResponse } from '#modules/device/wire/request.ts'
import { readTroubles } from './storage-body.ts'

interface ChannelState {
  readonly channel: number
  readonly state: RefusalReason | 'recording'
  readonly recordType?: number
  /** Seconds since 1970. */
  readonly validUntil?: number
}

/** Handles `storage/state`: returns for each channel of a camera whether and how to record. */
export async function handleStorageState(call: PlainCall): Promise<PlainResponse> {
  const { side, slot, sn, body, now, deviceId, tenantId } = call
  const { videos } = side.services
  for (const { channel, code, text } of readTroubles(body))
    videos.status.reported({ deviceId, channel, tenantId }, { code, text }, now)
  const count = Math.max(1, side.services.fleet.state.models.get(call.modelId)?.cloudChannels ?? 0)
  const channels = Array.from({ length: count }, (_, channel) => channelState(call, channel))
  videos.index.tookState(slot)
  for (const { channel, state } of channels) videos.status.asked({ slot, deviceId, channel, tenantId }, state, now)
  const nextCheck = Math.min(
    ...channels.map(({ channel, state }) => {
      const bounds = videos.index.boundsOf(slot, channel)
      const change = state === 'waiting' ? bounds?.from : state === 'recording' ? bounds?.to : undefined
      return computeNextCheck(sn, state === 'recording' ? undefined : state, change && change - now / 1000)
    }),
  )
  return { status: 200, body: { serverTime: now, channels, nextCheck } }
}

function channelState({ side, slot, now }: PlainCall, channel: number): ChannelState {
  const facts = side.services.videos.factsAt(slot, channel, now, now)
  const reason = findRefusalReason(facts, createSampleRecording(now), now)
  if (reason !== undefined || !facts.span) return { channel, state: reason ?? 'none' }
  const { recordType, preRecord, eventRecord, prolong } = facts.span.terms
  const event = recordType === RECORDING_TYPE_CODE.continuous ? {} : { preRecord, eventRecord, prolong }
  return { channel, state: 'recording', recordType, ...event, validUntil: facts.span.to }
}
