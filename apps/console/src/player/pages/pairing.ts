import type { PairedReply, PairReply } from '@oms/contract/advertise/device-calls.ts'
import { type Api, parseJson, readRetryAfterMs } from '../api.ts'
import type { PlayerClock } from '../clock.ts'
import { readSetting, removeSetting, writeSetting } from '../database.ts'
import { detectPlayableCodecs, readScreenSize } from '../reports/screen-facts.ts'
import { createUuid } from '../reports/uuid.ts'
import type { Pairing } from '../wire.ts'

const PAIRING = 'pairing'
const PENDING = 'pendingCode'
const PLAYER_ID = 'playerId'
const RETRY_MS = 5_000

interface Pending extends PairReply {
  readonly until: number
}

/** Shows the state of pairing. `code` is undefined while the server has not responded. */
export type ShowCode = (code: { readonly code: string; readonly leftMs: number } | undefined) => void

/**
 * Returns the stored pairing. `/player/#sn=…&token=…` replaces the pairing; the token is removed from the URL, so that
 * nobody reads the token from the screen. `/player/#pair` removes the pairing.
 */
export async function readStoredPairing(): Promise<Pairing | undefined> {
  const given = new URLSearchParams(location.hash.slice(1))
  const [sn, token] = [given.get('sn'), given.get('token')]
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search)
  if (sn !== null && token !== null && sn !== '' && token !== '') await writeSetting(PAIRING, { sn, token })
  else if (given.has('pair')) await removeSetting(PAIRING)
  return readSetting<Pairing>(PAIRING)
}

/** Returns the stable identifier of this browser. */
async function playerId(clock: PlayerClock) {
  const stored = await readSetting<string>(PLAYER_ID)
  if (stored !== undefined) return stored
  const made = createUuid(clock.now())
  await writeSetting(PLAYER_ID, made)
  return made
}

/** Shows codes until a person enters one in the console. Stores and returns the pairing. */
export async function pairByCode(api: Api, clock: PlayerClock, show: ShowCode): Promise<Pairing> {
  for (;;) {
    const pending = await pendingCode(api, clock)
    show(pending && { code: pending.code, leftMs: pending.until - clock.now() })
    const pairing = pending && (await pollCode(api, clock, pending))
    if (pending) await removeSetting(PENDING)
    if (!pairing) continue
    await writeSetting(PAIRING, pairing)
    return pairing
  }
}

/** Returns the stored code while valid, otherwise requests a new code. Returns undefined after a failed request. */
async function pendingCode(api: Api, clock: PlayerClock): Promise<Pending | undefined> {
  const stored = await readSetting<Pending>(PENDING)
  if (stored && stored.until > clock.now()) return stored
  let waitMs = RETRY_MS
  try {
    const json = { playerId: await playerId(clock), ...readScreenSize(), codecs: detectPlayableCodecs() }
    const { status, headers, body } = await api.call('pair', { json })
    if (status === 200 || status === 201) {
      const made = parseJson<PairReply>(body)
      const pending = { ...made, until: clock.now() + made.expires * 1000 }
      await writeSetting(PENDING, pending)
      return pending
    }
    waitMs = readRetryAfterMs(headers, RETRY_MS)
  } catch {
    // Without a network the caller tries again.
  }
  await sleep(waitMs)
  return undefined
}

/** Polls until the code is entered or ends. */
async function pollCode(api: Api, clock: PlayerClock, pending: Pending): Promise<Pairing | undefined> {
  while (clock.now() < pending.until) {
    await sleep(Math.max(1, pending.every) * 1000)
    const reply = await api
      .call(`pair/${encodeURIComponent(pending.pairId)}`, { token: pending.secret })
      .catch(() => undefined)
    if (!reply) continue
    if ([401, 403, 404, 410].includes(reply.status)) return undefined
    if (reply.status !== 200) continue
    const { sn, token } = parseJson<PairedReply>(reply.body)
    if (sn && token) return { sn, token }
  }
  return undefined
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
