import * as z from 'zod'

// Bodies and responses of the calls below `/device/v1/ad/`. Players and the server share them.

/** Maximum number of plays in one call of `report`. */
export const MAX_REPORTS = 500

/** Highest value of an integer column. */
const INT = 2_147_483_647
/** Latest time of a report in epoch milliseconds: 9999-12-31. */
const MAX_TIME = 253_402_214_400_000
const number = (min: number, max = INT) => z.int().min(min).max(max)

export const PLAY_RESULT = { complete: 1, partial: 2, failed: 3 } as const
/** Trust in the clock of a play. */
export const PLAY_CLOCK = { untrusted: 0, stale: 1, corrected: 2 } as const

/**
 * One reported play, or the sum of several plays of one hour. In a sum, `count` is above 1, and `ms` and `planned` are
 * sums.
 */
export const PlayReport = z.object({
  reportId: z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i),
  programId: number(1),
  ver: number(1),
  itemId: number(0),
  adId: number(1),
  adVer: number(1),
  /** sha256 of the file that was shown; absent for texts and web addresses. */
  file: z
    .string()
    .regex(/^([0-9a-f]{64})?$/)
    .nullish(),
  /** Epoch milliseconds by the player's corrected clock. */
  start: z.int().min(0).max(MAX_TIME),
  ms: number(-INT),
  planned: number(0, 3_600_000),
  result: number(1, 3),
  clock: number(0, 2),
  count: number(1, 3600).default(1),
  error: z.string().max(64).nullish(),
})
export type PlayReport = z.output<typeof PlayReport>

export const REJECT_REASONS = ['unknown', 'future', 'too_old', 'duration', 'overlap', 'invalid'] as const
export type RejectReason = (typeof REJECT_REASONS)[number]

/** Response to `report`. The player removes counted and rejected reports from its queue. */
export interface ReportReply {
  accepted: number
  duplicate: number
  /** `field` is the wrong field of an `invalid` report; empty when the report is no object. */
  rejected: { reportId: string; reason: RejectReason; field?: string }[]
}

/** A text of a player. Characters that the database refuses are replaced. */
const text = (length: number, shortest = 0) =>
  z
    .string()
    .min(shortest)
    .max(length)
    .transform((value) => value.toWellFormed().replaceAll(/\p{Cc}/gu, ' '))
const flag = number(0, 1)
const pixels = number(0, 32_767)
const codecs = z.array(text(32)).max(32)
const big = (min: number) => z.int().min(min).max(Number.MAX_SAFE_INTEGER)

/** Fields of a screen that its player reports at a change and every 10 minutes. Absent fields keep their value. */
export const StatusReport = z.object({
  sn: text(64),
  playerVersion: text(64).optional(),
  width: pixels.optional(),
  height: pixels.optional(),
  codecs: codecs.optional(),
  /** ETag of the manifest that plays, without quotes. */
  appliedEtag: text(64).optional(),
  readyFiles: number(0, 100_000).optional(),
  totalFiles: number(0, 100_000).optional(),
  failed: z
    .array(z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), reason: text(64) }))
    .max(20)
    .optional(),
  freeBytes: big(0).nullish(),
  clockOffsetMs: big(-Number.MAX_SAFE_INTEGER).nullish(),
  clockState: flag.optional(),
  /** 0: the page was opened without HTTPS. */
  offlineReady: flag.optional(),
  /** 1: the browser refuses to play sound, so that videos play without sound. */
  muted: flag.optional(),
  /** 1: another window covers the page, or its tab is in the background. */
  covered: flag.optional(),
  /** Null when nothing plays. An absent field keeps the stored value. */
  nowPlaying: z
    .object({ programId: number(0), itemId: number(0), adId: number(0), since: z.int().min(0).max(MAX_TIME) })
    .nullish(),
  /** 1 web player, 2 native player, 3 SMIL player. Default of a new screen: 2. */
  playerKind: number(1, 3).optional(),
})
export type StatusReport = z.output<typeof StatusReport>

/** Body of `POST pair`. */
export const PairRequest = z.object({
  playerId: text(64, 8),
  width: pixels.default(0),
  height: pixels.default(0),
  codecs: codecs.default([]),
})

/** Response to `POST pair`. The player calls `GET pair/{pairId}` every `every` seconds for `expires` seconds. */
export interface PairReply {
  pairId: string
  secret: string
  code: string
  expires: number
  every: number
}

/** Response to `GET pair/{pairId}`: empty until a person entered the code. */
export interface PairedReply {
  sn?: string
  token?: string
}
