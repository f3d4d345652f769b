import { readCookie, writeCookie } from './cookies.ts'
import { overlaysWanted } from './overlays.ts'

export type ToastLevel = 'success' | 'info' | 'warning' | 'error'
type Toaster = (level: ToastLevel, text: string) => void

/** How long the same error stays quiet after it was shown: answers of the server, and failures of HTTP itself. */
export const QUIET_SECONDS = 5
export const QUIET_HTTP_SECONDS = 3
const ERROR_COOKIE = 'error'

let show: Toaster = () => {}
let waiting: [ToastLevel, string][] = []
let bound = false

/** Gives the toasts their place on the screen; what came before it existed is shown then. */
export function bindToaster(toaster: Toaster) {
  show = toaster
  bound = true
  for (const [level, text] of waiting) toaster(level, text)
  waiting = []
}

function put(level: ToastLevel, text: string) {
  if (bound) return show(level, text)
  waiting.push([level, text])
  overlaysWanted.set(true)
}

/** Toasts from anywhere, also outside React. */
export const toast = {
  success: (text: string) => put('success', text),
  info: (text: string) => put('info', text),
  warning: (text: string) => put('warning', text),
  error: (text: string) => put('error', text),
}

/** An error toast that is not repeated within `seconds`. A different message is never held back. */
export function toastOnce(level: 'warning' | 'error', text: string, seconds: number) {
  if (!text || readCookie(ERROR_COOKIE) === text.slice(0, 200)) return
  writeCookie(ERROR_COOKIE, text.slice(0, 200), seconds)
  put(level, text)
}
