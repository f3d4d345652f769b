const MINUTE_MS = 60_000

/** Facts of a device that decide which version the device gets. */
export interface DeviceFacts {
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
  readonly enabled: boolean
  readonly isModelEnabled: boolean
  /** Installed version of the rule's firmware or package; null when never reported. */
  readonly verCode: number | null
  /** Slot in the fleet index; absent for a device outside this index. */
  readonly slot?: number
}

/** Devices of an allowlist or group. */
export interface DeviceSet {
  has(device: DeviceFacts): boolean
}

/** A version with all its conditions on devices and times. */
export interface Rule {
  readonly otaId: number
  readonly tenantId: number
  readonly modelId: number
  /** 1 firmware, 2 package. */
  readonly kind: number
  readonly packageName: string
  readonly verCode: number
  readonly verName: string
  readonly oldVerMin: number | null
  readonly oldVerMax: number | null
  /** True for version status 1. */
  readonly enabled: boolean
  /** Times in milliseconds. */
  readonly releaseAt: number
  readonly startAt: number | null
  readonly endAt: number | null
  /** Minutes after midnight in the console's time zone. The interval may cross midnight. */
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
  readonly allowlist: DeviceSet
  readonly groups: DeviceSet
  readonly needConfirm: boolean
  readonly maxDownloads: number | null
  readonly perMinute: number | null
  /** Limit in MB/s for all downloads of the release in each process. */
  readonly bandwidth: number | null
  readonly timeoutMinutes: number
  readonly autoRetries: number
}

/** A point in time: milliseconds since 1970, and minutes after midnight in the console's time zone. */
export interface ZonedTime {
  readonly ms: number
  readonly minute: number
}

/** Returns a function that converts times to a time zone. Caches the conversion for one minute. */
export function createZoneClock(timeZone: string): (now: Date | number) => ZonedTime {
  // Created on first use, because the first instance in a process takes longer than registering all routes.
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
