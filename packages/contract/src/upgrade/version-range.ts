/** Limits of the versions to which an update applies. An absent limit is open. */
export interface VersionRange {
  readonly oldVerMin?: number | null | undefined
  readonly oldVerMax?: number | null | undefined
}

/** Returns whether the range ends are in the wrong order. An absent end is open. */
export const isRangeBackwards = ({ oldVerMin, oldVerMax }: VersionRange) =>
  oldVerMin != null && oldVerMax != null && oldVerMin > oldVerMax

/** Returns whether the range includes this version or newer versions. A version with such a range cannot be enabled. */
export const includesNewerVersions = ({ verCode, oldVerMin, oldVerMax }: VersionRange & { readonly verCode: number }) =>
  (oldVerMin ?? -1) >= verCode || (oldVerMax ?? -1) >= verCode

/** Formats the range as text. */
export function formatVersionRange({ oldVerMin, oldVerMax }: VersionRange) {
  if (oldVerMin == null && oldVerMax == null) return '适用所有旧版本'
  if (oldVerMin == null) return `适用 ${oldVerMax} 及以下`
  if (oldVerMax == null) return `适用 ${oldVerMin} 及以上`
  return oldVerMin === oldVerMax ? `仅适用 ${oldVerMin}` : `适用 ${oldVerMin}～${oldVerMax}`
}
