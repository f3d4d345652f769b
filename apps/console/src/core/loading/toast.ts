import { readCookie, writeCookie } from '#core/auth/cookies.ts'
import { overlaysRequested } from './overlays.ts'

export type ToastLevel = 'success' | 'info' | 'warning' | 'error'
type Toaster = (level: ToastLevel, text: string) => void

/** Seconds for which the same error is not repeated: API errors, and HTTP failures. */
export const QUIET_SECONDS = 5
export const QUIET_HTTP_SECONDS = 3
const ERROR_COOKIE = 'error'

let show: Toaster = () => {}
let waiting: [ToastLevel, string][] = []
let bound = false

/** Registers the toast API and shows the toasts that were requested before. */
export function bindToaster(toaster: Toaster) {
  show = toaster
  bound = true
  for (const [level, text] of waiting) toaster(level, text)
  waiting = []
}

function put(level: ToastLevel, text: string) {
  if (bound) return show(level, text)
  waiting.push([level, text])
  overlaysRequested.set(true)
}

/** Toasts, usable outside React. */
export const toast = {
  success: (text: string) => put('success', text),
  info: (text: string) => put('info', text),
  warning: (text: string) => put('warning', text),
  error: (text: string) => put('error', text),
}

/** Shows an error toast unless the same message was shown within `seconds`. */
export function showToastOnce(level: 'warning' | 'error', text: string, seconds: number) {
  if (!text || readCookie(ERROR_COOKIE) === text.slice(0, 200)) return
  writeCookie(ERROR_COOKIE, text.slice(0, 200), seconds)
  put(level, text)
}
