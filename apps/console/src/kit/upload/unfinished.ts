import { getSession } from '#core/auth/session.tsx'

/** An upload that was interrupted by leaving the page. The user must choose the file again. */
export interface UnfinishedUpload {
  readonly fingerprint: string
  readonly name: string
  readonly sent: number
  readonly total: number
}

const key = (place: string) => `oms.upload.${getSession()?.uid ?? 0}.${place}`

/** Returns the unfinished upload of this account at a place of the console, stored in this browser. */
export function readUnfinished(place: string): UnfinishedUpload | undefined {
  try {
    return JSON.parse(localStorage.getItem(key(place)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export const saveUnfinishedUpload = (place: string, upload: UnfinishedUpload) =>
  localStorage.setItem(key(place), JSON.stringify(upload))

export const removeUnfinishedUpload = (place: string) => localStorage.removeItem(key(place))
