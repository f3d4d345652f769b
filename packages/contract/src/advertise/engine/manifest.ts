/**
 * The manifest: everything a screen needs to decide by itself what to play. The server renders it, players cache it, and
 * every function of the schedule engine takes it. Times of day and dates are wall time of `zone`; instants are epoch
 * milliseconds; durations are milliseconds. All numbers are integers.
 */
export interface Manifest {
  format: 1
  /** IANA name of the screen's time zone. */
  zone: string
  programs: ManifestProgram[]
  ads: ManifestAd[]
}

/** Kinds of an ad. The numbers are stored. */
export const AD_TYPE = { image: 1, video: 2, audio: 3, text: 4, web: 5, package: 6 } as const
export type AdType = (typeof AD_TYPE)[keyof typeof AD_TYPE]

/** Order of the items in one program. `block` plays the whole program as one item. */
export const PLAY_MODE = { sequence: 1, block: 2, random: 3, weighted: 4 } as const
export type PlayMode = (typeof PLAY_MODE)[keyof typeof PLAY_MODE]

/** `takeover` fills its windows; `once` plays its items once at the start of each window. */
export const INSERT_MODE = { normal: 0, takeover: 1, once: 2 } as const
export type InsertMode = (typeof INSERT_MODE)[keyof typeof INSERT_MODE]

/** Default programs play when nothing else is due: the tenant's before the platform's. */
export const FALLBACK = { none: 0, tenant: 1, platform: 2 } as const
export type FallbackLevel = (typeof FALLBACK)[keyof typeof FALLBACK]

export interface DayPart {
  /** `HH:mm`. */
  start: string
  /** End as `HH:mm`, up to `24:00`. An end before `start` is on the next day. */
  end: string
}

export interface ManifestProgram {
  id: number
  verNo: number
  name: string
  /** Instant of publishing. Among takeovers of one priority, the latest instant wins. */
  publishedAt: number
  playMode: PlayMode
  /** 0 to 9; the highest plays. */
  priority: number
  insertMode: InsertMode
  /** Share of voice in percent, 1 to 100; null shares the rest equally. */
  share: number | null
  /** `yyyy-MM-dd`, both included. */
  dateFrom: string
  dateTo: string
  /** Bit mask, Monday = 1, Sunday = 64. */
  weekdays: number
  /** Empty: all day. */
  dayParts: DayPart[]
  fallback: FallbackLevel
  items: ManifestItem[]
}

export interface ManifestItem {
  id: number
  adId: number
  /** Planned milliseconds of one play. For video and audio the duration of the file. */
  ms: number
  /** 1 to 100, used by `weighted`. */
  weight: number
  /** 0: no limit. */
  maxPlaysPerHour: number
  /** Half-open interval of instants; null: no limit. */
  from: number | null
  to: number | null
  /** 0 none, 1 fade. */
  transition: 0 | 1
}

export interface ManifestAd {
  id: number
  verNo: number
  name: string
  type: AdType
  /** First and last date in the zone of the screen, both included; null: no limit. */
  validFrom: string | null
  validTo: string | null
  /** Last date on which the approval number of the ad is valid; null: no limit. */
  approvalUntil: string | null
  linkUrl: string | null
  text: AdText | null
  /** Renditions of one creative; a player shows one. Empty for text and web addresses. */
  files: ManifestFile[]
}

export interface AdText {
  content: string
  /** Pixels on a screen with a height of 1080 pixels, 12 to 400. */
  fontSize: number
  /** `#rrggbb`. */
  color: string
  background: string
  align: 'left' | 'center' | 'right'
  scroll: boolean
  /** 1 to 10. */
  speed: number
}

export interface ManifestFile {
  materialId: number
  sha256: string
  size: number
  mime: string
  /** Pixels after rotation; 0 for audio and packages. */
  width: number
  height: number
  /** Codec, for example `avc1` or `vp9`; empty: no codec. */
  codec: string
  /** sha256 of each chunk of `MEDIA_CHUNK` bytes. */
  chunks: string[]
}

/** Number of bytes of a chunk of media, which is the unit that players store and check. */
export const MEDIA_CHUNK = 4 * 1024 * 1024
