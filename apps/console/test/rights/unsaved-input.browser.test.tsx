import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { clearCredentials, saveCredentials } from '#core/auth/credentials.ts'
import { relogin } from '#core/auth/relogin.ts'
import { loadCredentials } from '#core/auth/session.tsx'
import { SessionWatch } from '#app/session-watch.tsx'
import { changeTabs, markTab } from '#app/tabs/tab-state.ts'
import { showTab } from '#app/tabs/tab-store.ts'
import { openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  relogin.set(undefined)
  clearCredentials()
})

const logIn = (uid: number, token: string) =>
  saveCredentials({ token, uid, account: `a${uid}`, ownerId: 1, ownerName: '平台', mustChangePassword: false })
const comeBack = () => document.dispatchEvent(new Event('visibilitychange'))

/** Opens a page of the account 7 with unsaved input. */
function openUnsaved() {
  logIn(7, 'first')
  loadCredentials()
  changeTabs((now) => showTab(now, { key: '/test', title: '测试页', url: '/test' }))
  markTab('/test', 'form', true)
  const onRenewed = vi.fn<() => void>()
  tab = openTab(<SessionWatch onRenewed={onRenewed} />)
  return onRenewed
}

test('unsaved input is kept while the browser uses another account', async () => {
  const onRenewed = openUnsaved()
  const dialog = page.getByRole('dialog', { name: '账号已切换' })
  logIn(8, 'other')
  await expect
    .poll(() => {
      comeBack()
      return dialog.elements().length
    })
    .toBe(1)
  await expect.element(page.getByText('在另一个标签页登录原账号后', { exact: false })).toBeVisible()
  expect(onRenewed).not.toHaveBeenCalled()
  logIn(7, 'second')
  comeBack()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(onRenewed).toHaveBeenCalledOnce()
})

test('a logout in another browser tab keeps unsaved input on the page', async () => {
  openUnsaved()
  await expect.poll(() => document.querySelector('#root')).not.toBeNull()
  clearCredentials()
  await vi.waitFor(() => {
    new BroadcastChannel('oms').postMessage({ type: 'logout' })
    expect(relogin.get()?.message).toBe('你已在另一个标签页退出登录。')
  })
})
