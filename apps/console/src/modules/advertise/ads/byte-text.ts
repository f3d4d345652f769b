const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Returns bytes with one decimal: `96.4 GB`. */
export function formatBytes(bytes: number): string {
  const power = bytes > 0 ? Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024))) : 0
  return `${(bytes / 1024 ** power).toFixed(power > 1 ? 1 : 0)} ${UNITS[power]}`
}

/** Formats hours: `3.2 小时`, below one hour in minutes. */
export const formatHours = (hours: number): string =>
  hours < 1 ? `${Math.ceil(hours * 60)} 分钟` : `${hours.toFixed(1)} 小时`
