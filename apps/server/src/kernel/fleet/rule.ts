const MINUTE_MS = 60_000

/** What of a device decides which version it gets. */
export interface DeviceFacts {
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
  readonly enabled: boolean
  readonly modelInUse: boolean
  /** The version it runs of what the rule is about: its firmware, or that package. Null: never reported. */
  readonly verCode: number | null
  /** Where the index keeps it; absent for one that is not there. */
  readonly slot?: number
}

/** Which devices a list or a group means. */
export interface Members {
  has(device: DeviceFacts): boolean
}

/** One version with everything that says who may get it, and when. */
export interface Rule {
  readonly otaId: number
  readonly tenantId: number
  readonly modelId: number
  /** 1 firmware, 2 a package. */
  readonly kind: number
  readonly packageName: string
  readonly verCode: number
  readonly verName: string
  readonly oldVerMin: number | null
  readonly oldVerMax: number | null
  /** Version status 1. */
  readonly enabled: boolean
  /** Moments in milliseconds. */
  readonly releaseAt: number
  readonly startAt: number | null
  readonly endAt: number | null
  /** Minutes after midnight of the console's zone; may reach over midnight. */
  readonly dailyStart: number | null
  readonly dailyEnd: number | null
  /** 1 test release, 2 formal release. */
  readonly mode: number
  readonly state: number
  readonly stateReason: string
  /** Hundredths of a percent. */
  readonly percent: number
  readonly tenantIds: readonly number[]
  readonly groupIds: readonly number[]
  readonly whites: Members
  readonly groups: Members
  readonly needConfirm: boolean
  readonly maxDownloads: number | null
  readonly perMinute: number | null
  /** MB a second for all its downloads on each process. */
  readonly bandwidth: number | null
  readonly timeoutMinutes: number
  readonly autoRetries: number
}

/** A moment as rules read it: also as minutes after midnight of the console's zone. */
export interface Moment {
  readonly ms: number
  readonly minute: number
}

/** Turns clock readings into moments of a zone; one conversion a minute, whoever asks. */
export function clockOf(timeZone: string): (now: Date | number) => Moment {
  // Made when first asked: the first of its kind in a process takes longer than all routes together.
  let format: Intl.DateTimeFormat | undefined
  let known = Number.NaN
  let minute = 0
  return (now) => {
    const ms = Number(now)
    const current = Math.floor(ms / MINUTE_MS)
    if (current !== known) {
      format ??= new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
      const [hours = '0', minutes = '0'] = format.format(ms).split(':')
      minute = Number(hours) * 60 + Number(minutes)
      known = current
    }
    return { ms, minute }
  }
}
