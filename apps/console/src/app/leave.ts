import { loginAddress } from '#kernel/addresses.ts'
import { call } from '#kernel/call.ts'
import { tell } from '#kernel/channel.ts'
import { clearCredentials } from '#kernel/credentials.ts'
import { clearDrafts } from '#kernel/draft.ts'
import { forgetSession } from '#kernel/session.tsx'
import { shell } from './calls.ts'
import { isDirty } from './tabs/tab-store.ts'
import { tabs } from './tabs/tab-state.ts'

/** What the login page says on arrival: a toast would not survive the way there. */
export const NOTE_KEY = 'note'

let leaving = false

/** Leaving the program on purpose asks nothing more. */
export function leaveTo(address: string, note?: string) {
  leaving = true
  if (note) sessionStorage.setItem(NOTE_KEY, note)
  location.replace(address)
}

/** Log out: dead on the server at once, then here, then in every other browser tab. */
export async function logOut() {
  if (hasUnsaved() && !confirm('有未保存的内容，退出登录后将丢失。确定退出？')) return
  // Out of reach of the server one still wants to be logged out here.
  await call(shell.logout, {}, { quiet: true }).catch(() => {})
  clearDrafts()
  forgetSession()
  sessionStorage.removeItem('tabs')
  tell({ type: 'logout' })
  leaveTo('/login', '退出成功')
}

/** The session is over: log in again and come back here. Drafts stay. */
export function logInAgain() {
  const here = location.pathname + location.search + location.hash
  forgetSession()
  leaveTo(loginAddress(here))
}

/** The session is over, and what is typed here stays: whoever logs in beside this page finds it going on as it was. */
export function logInBeside() {
  // The cookies alone: with them the login page would go on as the one who is logged in.
  clearCredentials()
  open('/login', '_blank', 'noopener')
}

export const hasUnsaved = () => tabs.get().list.some(isDirty)

/** Closing the window with unsaved work asks, in the browser's own words. */
export function guardUnload() {
  addEventListener('beforeunload', (event) => {
    if (!leaving && hasUnsaved()) event.preventDefault()
  })
}
