import { call } from '#core/api/client.ts'
import { clearCredentials } from '#core/auth/credentials.ts'
import { clearDrafts } from '#core/auth/draft.ts'
import { clearSession } from '#core/auth/session.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { publishToTabs } from '#core/events/tab-channel.ts'
import { buildLoginPath } from '#core/routing/addresses.ts'
import { leaveNote, setPageExitHandler } from '#core/routing/leave-page.ts'
import { shellCalls } from './calls.ts'
import { tabs } from './tabs/tab-state.ts'
import { isTabDirty } from './tabs/tab-store.ts'

let leaving = false

/** Navigates away without the prompt about unsaved input. */
export function leaveTo(address: string, note?: string) {
  leaving = true
  if (note) leaveNote(note)
  location.replace(address)
}

/** Logs out. Asks first when a tab has unsaved input. */
export function logOut() {
  if (!hasUnsavedTabs()) return void endSession()
  dialogs.confirm({
    title: '放弃未保存的内容？',
    content: '退出登录后，未保存的内容将丢失。',
    okText: '退出登录',
    okButtonProps: { danger: true },
    cancelText: '继续编辑',
    onOk: endSession,
  })
}

/** Logs out on the server, in this tab, and in all other browser tabs. */
async function endSession() {
  // Logs out locally also when the server is unreachable.
  await call(shellCalls.logout, {}, { quiet: true }).catch(() => {})
  clearDrafts()
  clearSession()
  sessionStorage.removeItem('tabs')
  publishToTabs({ type: 'logout' })
  leaveTo('/login', '退出成功')
}

/** Opens the login page after the session ended, with this page as return path. Drafts are kept. */
export function logInAgain() {
  const here = location.pathname + location.search + location.hash
  clearSession()
  leaveTo(buildLoginPath(here))
}

/**
 * Opens the login page in a new tab after the session ended. This page keeps its input and continues after the login.
 */
export function logInInNewTab() {
  // Removes only the cookies; with them the login page would treat the user as logged in.
  clearCredentials()
  open('/login', '_blank', 'noopener')
}

export const hasUnsavedTabs = () => tabs.get().list.some(isTabDirty)

/** Registers the browser's prompt when the window is closed with unsaved input. */
export function guardUnload() {
  setPageExitHandler({ hasUnsavedTabs, leaveTo })
  addEventListener('beforeunload', (event) => {
    if (!leaving && hasUnsavedTabs()) event.preventDefault()
  })
}
