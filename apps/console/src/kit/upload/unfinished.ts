import { currentSession } from '#kernel/session.tsx'

/** An upload that was under way when the page was left; the browser must be given its file again. */
export interface Unfinished {
  readonly fingerprint: string
  readonly name: string
  readonly sent: number
  readonly total: number
}

const key = (place: string) => `oms.upload.${currentSession()?.uid ?? 0}.${place}`

/** What was left unfinished at this place of the console, by this account in this browser. */
export function readUnfinished(place: string): Unfinished | undefined {
  try {
    return JSON.parse(localStorage.getItem(key(place)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export const keepUnfinished = (place: string, upload: Unfinished) =>
  localStorage.setItem(key(place), JSON.stringify(upload))

export const forgetUnfinished = (place: string) => localStorage.removeItem(key(place))
